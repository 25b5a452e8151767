import type { AnonymousLimit } from "./_anonymous_limit.ts";
import type { SessionCookieOptions } from "./cookies/policy.ts";
import type { CookieSessionStorage } from "./drivers/cookie_driver.ts";
import type { Session } from "./session.ts";
import type { SessionStore } from "./store.ts";

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
   * @default {name: "session", path: "/", sameSite: "Lax"}
   */
  readonly cookie?: SessionCookieOptions;
  /**
   * How long sessions last.
   *
   * @default {idle: 1_800_000, absolute: 43_200_000, anonymous: 600_000}
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
   * @default {perAddress: 1_000, total: 100_000}
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
