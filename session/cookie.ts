import {
  type CookieSessionStore,
  type CookieSessionStoreOptions,
  CookieStorage,
} from "./drivers/cookie_driver.ts";

/**
 * Creates a storage that keeps sessions in encrypted cookies. Pass it as the
 * `store` of the session middleware.
 *
 * Only the server can read or change the session. The cookie contains the times
 * for the timeouts, and it is invalid under another name.
 *
 * Use a store instead if one of these limits matters:
 *
 * - Of two concurrent requests, the later response overwrites the changes of the
 *   other one.
 * - A malicious browser can send an old cookie again and so `take` a value
 *   twice.
 * - `destroy` ends the session in this browser only: a second cookie with the time
 *   of the logout makes older sessions invalid there. A stolen copy works until it
 *   expires or `revokedBefore` rejects it.
 * - The methods of `userSessions(context)` throw.
 * - The name and the value have at most 4,096 bytes. Larger sessions cause a
 *   `RangeError`.
 *
 * Each process derives a new key from the secret, and another one after 2^24
 * cookies. NIST SP 800-38D allows 2^32 random vectors per key, so the number of
 * cookies per secret is unlimited.
 *
 * @example Sessions in cookies, and a logout on all devices
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createCookieSessionStore, Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const endedAt = new Map<string | number, number>(); // In your database
 * const store = createCookieSessionStore({
 *   secrets: ["from a random source, never from the code"],
 *   revokedBefore: (userId) => endedAt.get(userId),
 * });
 * const router = createRouter({ middleware: [session({ store })] });
 * router.post("/login", (context) => {
 *   context.get(Session).set("userId", 7);
 *   return new Response();
 * });
 * router.post("/logout", (context) => {
 *   const session = context.get(Session);
 *   if (session.userId !== undefined) endedAt.set(session.userId, Date.now());
 *   session.destroy();
 *   return new Response();
 * });
 * router.get("/", (context) => {
 *   return Response.json(context.get(Session).userId ?? null);
 * });
 *
 * const post = { method: "POST" };
 * const login = await router.fetch("https://example.com/login", post);
 * const [cookie] = login.headers.getSetCookie()[0].split(";");
 * const headers = { cookie };
 * const page = await router.fetch("https://example.com/", { headers });
 * assertEquals(await page.json(), 7);
 *
 * await router.fetch("https://example.com/logout", { ...post, headers });
 * const stolen = await router.fetch("https://example.com/", { headers });
 * assertEquals(await stolen.json(), null);
 * ```
 *
 * @param options The secrets and the revocation.
 * @returns The storage.
 * @throws {TypeError} If the secrets are not an array of strings.
 * @throws {RangeError} If there is no secret, or one is too short or too easy to
 * guess.
 */
export function createCookieSessionStore(
  options: CookieSessionStoreOptions,
): CookieSessionStore {
  return new CookieStorage(options);
}
