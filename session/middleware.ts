/**
 * The session middleware: it finds the session of a request, and saves it.
 *
 * @module
 */
import type {
  ContextEntry,
  Middleware,
  RequestContext,
} from "../router/mod.ts";
import { type AnonymousLimit, AnonymousQuota } from "./_anonymous_quota.ts";
import { STORE_TIMEOUT } from "./_call_store.ts";
import { CookiePolicy, type SessionCookieOptions } from "./_cookie.ts";
import { type CookieSessionStorage, CookieStorage } from "./_cookie_storage.ts";
import type { ResolvedTimeouts } from "./_record.ts";
import { Scope, type Shared } from "./_scope.ts";
import { finishError, settle } from "./_settle.ts";
import { sweeper } from "./_sweeper.ts";
import { createMemorySessionStore } from "./memory.ts";
import { Session } from "./session.ts";
import type { SessionStore } from "./store.ts";

export type { AnonymousLimit, CookieSessionStorage, SessionCookieOptions };

/** How long sessions last, in milliseconds. */
export interface SessionTimeouts {
  /**
   * How long a logged-in user's session lasts without a request.
   *
   * @default {1_800_000} 30 minutes
   */
  readonly idle?: number;
  /**
   * How long a session lasts from its beginning or the login.
   *
   * @default {43_200_000} 12 hours
   */
  readonly absolute?: number;
  /**
   * How long a session without a user lasts without a request.
   *
   * @default {600_000} 10 minutes
   */
  readonly anonymous?: number;
}

/** What handlers know of a session that is read only when they ask for it. */
export type LazySession = Pick<Session, "load">;

/** Options for {@linkcode session}. */
export interface SessionOptions {
  /**
   * Where sessions live: in a store, or in cookies.
   *
   * @default {createMemorySessionStore()}
   */
  readonly store?: SessionStore | CookieSessionStorage;
  /**
   * In place of a store: secrets to keep sessions in encrypted cookies with, as
   * `createCookieSessionStorage` from `@gatehouse/web/session/cookie` does,
   * which says what such sessions cannot promise.
   *
   * @default {undefined}
   */
  readonly secrets?: readonly string[];
  /**
   * Whether a session is read only when someone asks: after
   * `await session.load()`, without which a handler that uses the session gets
   * a `TypeError`. Then a request that needs no session costs the store nothing,
   * whatever its cookies. Without it, the session of a request that has a cookie
   * is read before the handler runs, so that `session.get` needs no `await`.
   * The schemes and the functions of `auth` load by themselves.
   *
   * @default {false}
   */
  readonly lazy?: boolean;
  /**
   * The cookie.
   *
   * @default {{ name: "session", path: "/", sameSite: "Lax" }}
   */
  readonly cookie?: SessionCookieOptions;
  /**
   * How long sessions last.
   *
   * @default {{ idle: 1_800_000, absolute: 43_200_000, anonymous: 600_000 }}
   */
  readonly timeouts?: SessionTimeouts;
  /**
   * How many anonymous sessions can begin in ten minutes, in each process. Beyond
   * it, requests that would begin one get a 429 or a 503 with `Retry-After`.
   * Logins, and sessions in cookies, have no such limit.
   *
   * Trust: the client's address must be the client's. Behind a proxy, set the
   * router's `trustedProxies`.
   *
   * @default {{ perAddress: 1_000, total: 100_000 }}
   */
  readonly anonymousLimit?: AnonymousLimit;
  /**
   * The address that browsers see. With an https one the cookie is always
   * `Secure`. Set it where a proxy on the same machine ends TLS.
   *
   * @default {undefined}
   */
  readonly origin?: string | undefined;
  /**
   * Milliseconds that the store may take for an answer. Beyond it, it counts as
   * failed.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Creates the middleware that gives every request its session.
 *
 * The cookie is `__Host-session`: `Secure`, `HttpOnly`, `SameSite=Lax`, gone
 * when the browser closes. Only on plain http from the same machine it is
 * `session`, without `Secure`. A broken or foreign cookie is no session.
 *
 * The session is saved after the handler. If the handler throws, nothing is
 * saved except for what it committed before; the error's response carries the
 * cookie for that. A destroyed session ends in either case. A store that fails
 * is an error, never "no session".
 *
 * Requests can be on their way when a session ends. For 15 seconds, those with
 * the old cookie get no new session, so that a late answer does not replace the
 * cookie of a new login; only a login of their own, or its beginning at a
 * provider, begins one. A logout among them ends the session under its new id.
 *
 * @example A page that counts its visits
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.get("/", (context) => {
 *   const session = context.get(Session);
 *   session.update("visits", (visits) => Number(visits ?? 0) + 1);
 *   return new Response(`Visit ${session.get("visits")}`);
 * });
 *
 * const first = await router.fetch("https://example.com/");
 * const [cookie] = first.headers.getSetCookie()[0].split(";");
 * const second = await router.fetch("https://example.com/", {
 *   headers: { cookie },
 * });
 * assertEquals(await second.text(), "Visit 2");
 * ```
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options?: SessionOptions & { readonly lazy?: false },
): Middleware<readonly [ContextEntry<typeof Session, Session>]>;
/**
 * Creates the middleware that reads a session only when a handler asks for it,
 * and tells the handlers' types so: `context.get(Session)` has only `load`.
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options: SessionOptions & { readonly lazy: true },
): Middleware<readonly [ContextEntry<typeof Session, LazySession>]>;
/**
 * Creates the middleware from options of which the types do not say whether it
 * is lazy.
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options: SessionOptions,
): Middleware<readonly [ContextEntry<typeof Session, Session>]>;
export function session(
  options: SessionOptions = {},
): Middleware<readonly [ContextEntry<typeof Session, Session>]> {
  const { lazy = false, now = Date.now, storeTimeout = STORE_TIMEOUT } =
    options;
  const timeouts = resolveTimeouts(options.timeouts ?? {});
  positive("storeTimeout", storeTimeout);
  const shared: Shared = {
    isLazy: lazy,
    config: { timeouts, now, storeTimeout },
    policy: new CookiePolicy(options.cookie ?? {}, options.origin),
    storage: storageOf(options),
    quota: new AnonymousQuota(options.anonymousLimit ?? {}, now),
  };
  const sweep = shared.storage instanceof CookieStorage
    ? () => {}
    : sweeper(shared.storage, now);

  return (context, next) => {
    const scope = new Scope(shared, context);
    context.set(Session, new Session(scope));
    // Once: to read a header is dear on Deno.
    const header = lazy ? null : context.request.headers.get("Cookie");
    return answer(scope, context, header, next, sweep);
  };
}

/** Loads the session, runs the rest of the chain, and saves. */
async function answer(
  scope: Scope,
  context: RequestContext,
  cookies: string | null,
  next: () => Promise<Response>,
  sweep: () => void,
): Promise<Response> {
  try {
    if (cookies !== null) await scope.load(cookies);
  } catch (error) {
    scope.close();
    throw error;
  }
  const response = await next();
  return context.error === undefined
    ? settle(response, scope, sweep)
    : finishError(response, scope);
}

function storageOf(
  { secrets, store }: SessionOptions,
): SessionStore | CookieStorage {
  if (secrets === undefined) {
    return (store ?? createMemorySessionStore()) as
      | SessionStore
      | CookieStorage;
  }
  if (store === undefined) return new CookieStorage({ secrets });
  throw new TypeError(
    "Cannot create session middleware: it takes a store or secrets, not both",
  );
}

function resolveTimeouts(timeouts: SessionTimeouts): ResolvedTimeouts {
  const minute = 60_000;
  const resolved = {
    idle: timeouts.idle ?? 30 * minute,
    absolute: timeouts.absolute ?? 720 * minute,
    anonymous: timeouts.anonymous ?? 10 * minute,
  };
  for (const [name, value] of Object.entries(resolved)) {
    positive(`timeout ${name}`, value);
  }
  return resolved;
}

function positive(name: string, value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw new RangeError(
    `Cannot create session middleware: ${name} "${value}" is not a positive number`,
  );
}
