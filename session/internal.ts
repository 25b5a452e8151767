/**
 * What the modules above the session share with it: cookies, comparison in
 * constant time, encodings and the login. Not part of the public surface.
 *
 * @module
 */
import { scopeOf, type Session } from "./session.ts";

export {
  type CookieToSet,
  readCookies,
  serializeCookie,
} from "./_cookie_header.ts";
export { Sealer } from "./_sealer.ts";
export { timingSafeEqual } from "./_timing_safe_equal.ts";
export {
  decodeBase64Url,
  encodeBase64Url,
  randomToken,
  sha256,
} from "./_bytes.ts";

/**
 * Has the response to the session's request carry a header, whatever handler or
 * middleware behind the session middleware makes that response.
 */
export function setResponseHeader(
  session: Session,
  name: string,
  value: string,
): void {
  const scope = scopeOf(session);
  scope.headers ??= new Headers();
  scope.headers.set(name, value);
}

/**
 * Logs a user in and commits: a new id, whoever was logged in before. Values
 * stay only where the session was anonymous or the same user's, and none whose
 * key begins with `__auth.`.
 *
 * @throws {TypeError} If the session was destroyed, or the response is made.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 7.2.4}
 */
export async function beginLogin(
  session: Session,
  userId: string | number,
): Promise<void> {
  const { journal } = scopeOf(session);
  journal.demandWritable("log in to");
  // For a user who is logged in already too: a login is always a new id.
  journal.logIn(userId);
  await session.commit();
}
