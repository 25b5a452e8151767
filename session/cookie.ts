/**
 * Sessions in encrypted cookies, without a store.
 *
 * @module
 */
import {
  type CookieSessionStorage,
  type CookieSessionStorageOptions,
  CookieStorage,
} from "./drivers/cookie_driver.ts";

export type { CookieSessionStorage, CookieSessionStorageOptions };

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
 * - `destroy` removes the browser's cookie, but a stolen copy works until it
 *   expires or `revokedBefore` rejects it.
 * - The methods of `sessions(context)` throw.
 * - The name and the value have at most 4,096 bytes. Larger sessions cause a
 *   `RangeError`.
 *
 * Each process derives a new key from the secret, and another one after 2^24
 * cookies. NIST SP 800-38D allows 2^32 random vectors per key, so the number of
 * cookies per secret is unlimited.
 *
 * @example Sessions in cookies
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createCookieSessionStorage } from "@gatehouse/web/session/cookie";
 * import { assertEquals } from "@std/assert";
 *
 * const store = createCookieSessionStorage({
 *   secrets: ["from a random source, never from the code"],
 * });
 * const router = createRouter({ middleware: [session({ store })] });
 * router.get("/", (context) => {
 *   const session = context.get(Session);
 *   session.update("visits", (visits) => Number(visits ?? 0) + 1);
 *   return Response.json(session.get("visits") ?? null);
 * });
 *
 * const first = await router.fetch("https://example.com/");
 * const [cookie] = first.headers.getSetCookie()[0].split(";");
 * const second = await router.fetch("https://example.com/", {
 *   headers: { cookie },
 * });
 * assertEquals(await second.json(), 2);
 * ```
 *
 * @param options The secrets and the revocation.
 * @returns The storage.
 * @throws {TypeError} If the secrets are not an array of strings.
 * @throws {RangeError} If there is no secret, or one is too short or too easy to
 * guess.
 */
export function createCookieSessionStorage(
  options: CookieSessionStorageOptions,
): CookieSessionStorage {
  return new CookieStorage(options);
}
