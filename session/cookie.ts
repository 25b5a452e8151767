/**
 * Sessions without a store: encrypted, in the browser's cookie.
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
 * Keeps sessions in encrypted cookies, as the `store` of the session
 * middleware.
 *
 * What it promises: nobody but the server reads or changes what the cookie
 * says; the timeouts hold, for the times stand inside; a cookie is of no use
 * under another name.
 *
 * Each process derives a key of its own from the secret, and another one after
 * 2^24 cookies. NIST SP 800-38D allows a key 2^32 random vectors, so that no
 * number of cookies wears a secret out.
 *
 * What it cannot promise: it remembers nothing. Of two requests at once, the
 * later answer undoes the other's changes, and what must happen once, such as
 * `take`, happens once only if the browser plays along. `destroy` deletes the
 * browser's cookie, but a stolen copy lives until it expires, unless
 * `revokedBefore` says otherwise. The methods of `sessions(context)` throw. Name
 * and value take 4,096 bytes at most: what does not fit is a `RangeError`.
 *
 * Where any of this matters, use a store.
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
 * @throws {TypeError} If the secrets are not a list of strings.
 * @throws {RangeError} If there is no secret, or one is too short or too easy to
 * guess.
 */
export function createCookieSessionStorage(
  options: CookieSessionStorageOptions,
): CookieSessionStorage {
  return new CookieStorage(options);
}
