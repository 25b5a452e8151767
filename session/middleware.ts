/**
 * The session middleware, which loads the session of a request and saves it after
 * the handler. Its store also counts requests for `rateLimit`, and `csrfProtection`
 * adds tokens to forms.
 *
 * @module
 */
import {
  checkPositive,
  describeMiddleware,
  MAX_TIMEOUT,
} from "../router/internal.ts";
import type { ContextEntry, Middleware } from "../router/mod.ts";
import {
  type AnonymousLimit,
  AnonymousLimiter,
} from "./drivers/anonymous_limit.ts";
import { createMiddleware, type SessionSetup } from "./_request_session.ts";
import {
  PrefixedCookie,
  type SessionCookieOptions,
} from "./cookies/prefixed_cookie.ts";
import {
  type CookieSessionStore,
  CookieStorage,
} from "./drivers/cookie_driver.ts";
import { storeDrivers } from "./drivers/store_driver.ts";
import type { Session } from "./session.ts";
import { type SessionStore, sweeper } from "./store.ts";
import { createMemorySessionStore } from "./stores/memory.ts";
import {
  callStore,
  type SessionTimeouts,
  STORE_TIMEOUT,
  Timeouts,
} from "./timeouts.ts";

export type {
  AnonymousLimit,
  CookieSessionStore,
  SessionCookieOptions,
  SessionTimeouts,
};

export {
  csrfProtection,
  type CSRFProtectionOptions,
  csrfToken,
} from "./csrf.ts";
export {
  rateLimit,
  type RateLimitKey,
  type RateLimitOptions,
} from "./rate_limit.ts";

/** A session that the handler has to load before it uses it. */
export type LazySession = Pick<Session, "load">;

/** Options for {@linkcode session}. */
export interface SessionOptions {
  /**
   * The place of the sessions: a store, or encrypted cookies.
   *
   * @default {createMemorySessionStore()}
   */
  readonly store?: SessionStore | CookieSessionStore;
  /**
   * Secrets for sessions in encrypted cookies, instead of a store. See
   * `createCookieSessionStore` of `@gatehouse/web/session` for the limits
   * of such sessions.
   *
   * @default {undefined}
   */
  readonly secrets?: readonly string[];
  /**
   * `true` to load a session only when the handler calls `await session.load()`.
   * Other methods throw a `TypeError` before that. Requests that need no session
   * then cost the store nothing. By default, the session of a request with a
   * cookie is loaded before the handler, and `session.get` needs no `await`. The
   * schemes and functions of `auth` call `load` themselves.
   *
   * @default {false}
   */
  readonly lazy?: boolean;
  /**
   * The cookie.
   *
   * @default {name: "session", path: "/", sameSite: "Lax"}
   */
  readonly cookie?: SessionCookieOptions;
  /**
   * The timeouts of sessions.
   *
   * @default {idle: 1_800_000, absolute: 43_200_000, anonymous: 600_000}
   */
  readonly timeouts?: SessionTimeouts;
  /**
   * The number of anonymous sessions that can begin in ten minutes, in each
   * process. Further requests get a 429 or a 503 with `Retry-After`. There is no
   * limit for sessions in cookies, for logins, and for logins that wait for their
   * second factor.
   *
   * Trust: the client's address must be correct. Behind a proxy, set the router's
   * `trustedProxies`.
   *
   * @default {perAddress: 1_000, total: 100_000}
   */
  readonly anonymousLimit?: AnonymousLimit;
  /**
   * The maximum number of sessions of a user. A login beyond it ends the user's
   * sessions with the oldest logins, or is refused: see `maxSessionsAction`. It
   * needs a store with `byIndex`.
   *
   * @default {Infinity}
   */
  readonly maxSessions?: number;
  /**
   * The effect of a login beyond `maxSessions`: it ends the user's sessions
   * with the oldest logins, or `completeAuth` throws a `SessionLimitError`. If
   * logins are concurrent, more of them than necessary may be refused.
   *
   * @default {"end-oldest"}
   */
  readonly maxSessionsAction?: "end-oldest" | "refuse";
  /**
   * The origin that browsers see. If it begins with `https:`, the cookie is always
   * `Secure`. Set it if a proxy on the same machine terminates TLS. If it is
   * `http:` and localhost, requests to localhost get a cookie without `Secure`,
   * also through a proxy.
   *
   * @default {undefined}
   */
  readonly origin?: string | undefined;
  /**
   * The timeout of a call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
  /**
   * Returns the time of a user's last revocation in epoch milliseconds. Earlier
   * logins become invalid, including those of the same millisecond. A later
   * login is valid, even in the same millisecond. It is called on each request
   * of a logged-in user. Return the time of the last password change, or one
   * time for all users to log everybody out.
   *
   * @default {undefined}
   */
  readonly revokedBefore?: (
    userId: string | number,
  ) => number | null | undefined | Promise<number | null | undefined>;
  /**
   * The data that browsers clear after `destroy()`, by the header
   * `Clear-Site-Data`. It applies to the whole origin.
   *
   * @default {[]}
   * @see {@link https://www.w3.org/TR/clear-site-data/#header | Clear-Site-Data}
   */
  readonly clearSiteData?: readonly ("cache" | "cookies" | "storage")[];
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Creates the session middleware for lazy sessions. In the handlers' types,
 * `context.get(Session)` then has only the method `load`.
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If the cookie, the origin or the secrets are malformed, if
 * there is both a store and secrets, or `maxSessions` without `byIndex`.
 * @throws {RangeError} If a timeout or a limit is not a positive number, there is
 * no secret, or one is too short.
 */
export function session(
  options: SessionOptions & { readonly lazy: true },
): Middleware<readonly [ContextEntry<typeof Session, LazySession>]>;
/**
 * Creates the session middleware. It gives each request its session as
 * `context.get(Session)`.
 *
 * The cookie is `__Host-Http-session`: `Secure`, `HttpOnly`, `SameSite=Lax`, and valid
 * until the browser closes. Over HTTP from the same machine, it is `session`
 * without `Secure`. The middleware ignores invalid cookies.
 *
 * The session is saved after the handler. If the handler throws, only the changes
 * that it committed are saved, and the response to the error has the new cookie.
 * A destroyed session ends in both cases. If the store fails, the request fails
 * with a {@linkcode SessionStoreError}.
 *
 * Other requests can be in flight when a session ends. Requests with the old cookie
 * get no new session, because a late response must not replace the cookie of a new
 * login: for ten minutes after a login, a logout or another change of the id, and
 * for 15 seconds if another request ended the session. Only a login, or its start at a provider, begins one.
 * A logout among these requests ends the session under its new id. Requests that
 * arrived before a change of the id was complete still read the session as it was.
 * If they write, they get a 409.
 *
 * @example Count the visits of a page
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
 * @throws {TypeError} If the cookie, the origin or the secrets are malformed, if
 * there is both a store and secrets, or `maxSessions` without `byIndex`.
 * @throws {RangeError} If a timeout or a limit is not a positive number, there is
 * no secret, or one is too short.
 */
export function session(
  options?: SessionOptions,
): Middleware<readonly [ContextEntry<typeof Session, Session>]>;
export function session(
  options: SessionOptions = {},
): Middleware<readonly [ContextEntry<typeof Session, Session>]> {
  const setup = createSetup(options);
  return describeMiddleware(createMiddleware(setup), {
    cookie: setup.cookie.publicName,
  });
}

function createSetup(options: SessionOptions): SessionSetup {
  const { lazy: isLazy = false, now = Date.now } = options;
  const { maxSessions = Infinity, storeTimeout = STORE_TIMEOUT } = options;
  const owner = "session middleware";
  checkPositive(owner, "storeTimeout", storeTimeout, MAX_TIMEOUT);
  const config: SessionSetup["config"] = {
    timeouts: new Timeouts(options.timeouts ?? {}),
    now,
    maxSessions: checkPositive(owner, "maxSessions", maxSessions),
    maxSessionsAction: options.maxSessionsAction ?? "end-oldest",
    storeTimeout,
    revokedBefore: options.revokedBefore,
    callStore: (verb, call) => callStore(verb, call, storeTimeout),
  };
  const cookie = new PrefixedCookie(options.cookie ?? {}, options.origin);
  const limiter = new AnonymousLimiter(options.anonymousLimit ?? {}, now);
  const storage = createStorage(options);
  const clearSiteData = (options.clearSiteData ?? [])
    .map((kind) => `"${kind}"`).join(", ");
  const shared = { isLazy, config, cookie, clearSiteData };
  if (storage instanceof CookieStorage) {
    const createDriver = storage.drivers(config);
    return { ...shared, store: null, createDriver, sweep() {} };
  }
  return {
    ...shared,
    store: storage,
    createDriver: storeDrivers(storage, config, limiter),
    sweep: sweeper(storage, now),
  };
}

function createStorage(
  { maxSessions = Infinity, secrets, store }: SessionOptions,
): SessionStore | CookieStorage {
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create session middleware: ${reason}`);
  };
  if (secrets !== undefined && store !== undefined) {
    fail("it takes a store or secrets, not both");
  }
  // No other class implements CookieSessionStore.
  const storage = secrets !== undefined
    ? new CookieStorage({ secrets })
    : (store ?? createMemorySessionStore()) as SessionStore | CookieStorage;
  const hasIndex = !(storage instanceof CookieStorage) &&
    storage.byIndex !== undefined;
  if (maxSessions !== Infinity && !hasIndex) {
    fail("maxSessions needs a store with byIndex");
  }
  return storage;
}
