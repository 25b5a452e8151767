/**
 * Sessions: what a server remembers of a browser, on a store of your choice.
 *
 * @example Reading the session in a handler
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.get("/", (context) => {
 *   return Response.json({ user: context.get(Session).userId ?? null });
 * });
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(await response.json(), { user: null });
 * ```
 *
 * @module
 */
export { createCookieSessionStore } from "./cookie.ts";
export {
  type CookieOptions,
  parseCookies,
  serializeCookie,
} from "./cookies/public_cookies.ts";
export type {
  CookieSessionStore,
  CookieSessionStoreOptions,
} from "./drivers/cookie_driver.ts";
export {
  endAllSessions,
  type EndAllSessionsOptions,
  endUserSessions,
  type EndUserSessionsOptions,
} from "./end_sessions.ts";
export {
  type SafeCause,
  SessionConflictError,
  SessionLimitError,
  SessionStoreError,
} from "./errors.ts";
export {
  createMemorySessionStore,
  type MemorySessionStoreOptions,
} from "./stores/memory.ts";
export type {
  AuthMethodTimes,
  JSONValue,
  SessionLabel,
  Storable,
} from "./record.ts";
export { Session } from "./session.ts";
export {
  type EndAllOptions,
  type PageOptions,
  type SessionInfo,
  type SessionPage,
  type UserSessions,
  userSessions,
} from "./user_sessions.ts";
export {
  type KeyPage,
  type KeyVersion,
  type PutOptions,
  type SessionStore,
  type StoredValue,
  sweepSessions,
  type SweepSessionsOptions,
} from "./store.ts";
export type { LoginTimeouts } from "./timeouts.ts";
