import {
  checkPositive,
  describeMiddleware,
  MAX_TIMEOUT,
  networkOf,
  withHeaders,
} from "../router/internal.ts";
import type { Middleware, RequestContext } from "../router/mod.ts";
import {
  RateCounter,
  type RateCounterConfig,
  type RateDecision,
} from "./_rate_counter.ts";
import { sha256Base64Url } from "./secrets.ts";
import { type SessionStore, sweeper } from "./store.ts";
import { STORE_TIMEOUT } from "./timeouts.ts";

/** Options for {@linkcode rateLimit}. */
export interface RateLimitOptions {
  /**
   * The store of the counts, such as the one of the sessions. Machines that share
   * it count together.
   */
  readonly store: SessionStore;
  /** The number of requests in a window. All of them may come at once. */
  readonly limit: number;
  /** The length of the window, in milliseconds. */
  readonly window: number;
  /**
   * The name of this limit, for its clients and in the store. Limits that share a
   * store need different names.
   *
   * @default {"default"}
   */
  readonly name?: string;
  /**
   * Returns the key that requests are counted by, such as the id of the user.
   * Requests without a key are counted by the client's address, and an IPv6 /64
   * counts as one address.
   *
   * Trust: the client must not be able to choose the key freely, because each new
   * key starts a new count.
   *
   * @default {() => undefined}
   */
  readonly key?: (context: RequestContext) => RateLimitKey;
  /**
   * Returns the number of requests that a request counts as: an integer from 0 to
   * `limit`. With 0 it is not counted.
   *
   * @default {() => 1}
   */
  readonly cost?: (context: RequestContext) => number;
  /**
   * Receives the error if the store fails. The request then passes, unless this
   * returns a response. Without this option the error is thrown, so `onError`
   * responds and no request passes.
   *
   * @default {throws the error}
   */
  readonly onStoreError?: (
    error: unknown,
    context: RequestContext,
  ) => Response | undefined | void;
  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** A key of requests. Without one, the client's address counts. */
export type RateLimitKey = string | number | bigint | null | undefined;

/**
 * Creates a middleware that limits the requests of each client. Further requests
 * get a 429 with `Retry-After`, as problem details or text, or the router's
 * `errorResponse`.
 *
 * The limit is a rate, not a fixed window: after `limit` requests at once, one
 * more is allowed each `window / limit` milliseconds. Concurrent requests on
 * several machines never exceed it, if the store has compare-and-swap. Responses
 * have the fields `RateLimit` and `RateLimit-Policy`.
 *
 * Trust: behind a proxy, set the router's `trustedProxies`. Without it, all
 * clients have the address of the proxy and share one count.
 *
 * @example Two requests per minute
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { rateLimit } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const store = createMemorySessionStore();
 * const router = createRouter({
 *   middleware: [rateLimit({ store, limit: 2, window: 60_000 })],
 * });
 * router.get("/", () => new Response("Hello"));
 *
 * const { fetch } = createTestClient(router, { remoteAddress: "192.0.2.1" });
 * assertEquals((await fetch("/")).status, 200);
 * assertEquals((await fetch("/")).headers.get("RateLimit"), '"default";r=0;t=30');
 * const third = await fetch("/");
 * assertEquals([third.status, third.headers.get("Retry-After")], [429, "30"]);
 * ```
 *
 * @param options The store, the limit and the key.
 * @returns The middleware.
 * @throws {TypeError} If the name contains characters other than letters,
 * digits, `_`, `.` and `-`.
 * @throws {RangeError} If the limit is not a positive integer, or the window or
 * the timeout is not a positive number.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/ | RateLimit header fields for HTTP, draft 11}
 */
export function rateLimit(options: RateLimitOptions): Middleware<readonly []> {
  const { limit, onStoreError, store, now = Date.now } = options;
  const { name = "default", storeTimeout = STORE_TIMEOUT } = options;
  const config = { ...options, storeTimeout, now };
  checkOptions(name, config);
  const counter = new RateCounter(config);
  const sweep = sweeper(store, now);
  const policy = `"${name}";q=${limit};w=${seconds(options.window)}`;

  const middleware: Middleware<readonly []> = async (context, next) => {
    const cost = options.cost?.(context) ?? 1;
    checkCost(cost, limit);
    if (cost === 0) return next();
    const key = await keyOf(name, context, options.key?.(context));
    sweep();
    let decision: RateDecision;
    try {
      decision = await counter.decide(key, cost);
    } catch (error) {
      if (onStoreError === undefined) throw error;
      return onStoreError(error, context) ?? next();
    }
    const { available, nextUnit, wait } = decision;
    const response = wait === 0
      ? await next()
      : await context.createErrorResponse(
        { type: QUOTA_EXCEEDED, status: 429, "violated-policies": [name] },
        { "Cache-Control": "no-store", "Retry-After": `${seconds(wait)}` },
      );
    return withHeaders(response, (headers) => {
      headers.append("RateLimit-Policy", policy);
      headers.append(
        "RateLimit",
        `"${name}";r=${available};t=${seconds(nextUnit)}`,
      );
    });
  };
  return describeMiddleware(middleware, { responses: { 429: "" } });
}

/** The type of the problem (draft 11, section 5.1). */
const QUOTA_EXCEEDED =
  "https://iana.org/assignments/http-problem-types#quota-exceeded";

function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

/**
 * Returns the key of a count: a hash, so that the store reveals no address or
 * key. Without an address, all requests share one count.
 */
async function keyOf(
  name: string,
  { remoteAddress }: RequestContext,
  key: RateLimitKey,
): Promise<string> {
  const subject = key == null
    ? `address ${networkOf(remoteAddress ?? "")}`
    : `key ${key}`;
  return `rate-limit:${await sha256Base64Url(`${name} ${subject}`)}`;
}

function checkOptions(
  name: string,
  { limit, storeTimeout, window }: RateCounterConfig,
): void {
  if (!/^[\w.-]+$/.test(name)) {
    throw new TypeError(
      `Cannot create rate limit "${name}": it is not a name such as "login-form"`,
    );
  }
  checkPositive(
    "rate limit",
    "limit",
    Number.isSafeInteger(limit) ? limit : NaN,
  );
  checkPositive("rate limit", "window", window, Number.MAX_VALUE);
  checkPositive("rate limit", "storeTimeout", storeTimeout, MAX_TIMEOUT);
}

/** Throws for a cost that no request could ever have. */
function checkCost(cost: number, limit: number): void {
  if (Number.isSafeInteger(cost) && cost >= 0 && cost <= limit) return;
  throw new RangeError(
    `Cannot count request: cost "${cost}" is not an integer from 0 to ${limit}`,
  );
}
