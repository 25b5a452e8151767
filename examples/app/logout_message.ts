import { Auth } from "@gatehouse/web/auth-middleware";
import type { RequestContext } from "@gatehouse/web/fetch-router";

/**
 * The cookie that says that this browser has just logged out. The session that
 * holds the other messages has ended.
 */
const COOKIE = "loggedOut=1; Path=/; HttpOnly; SameSite=Lax";

/** Returns `true` if the previous request was a logout. */
export function isLoggedOut(context: RequestContext): boolean {
  return context.get(Auth) === null &&
    /(?:^|; )loggedOut=1(?:;|$)/.test(context.headers.get("Cookie") ?? "");
}

/** Makes the next page say that the user is logged out. */
export function rememberLogout(headers: Headers): void {
  headers.append("Set-Cookie", `${COOKIE}; Max-Age=60`);
}

/** Makes the page after the next one not say it again. */
export function forgetLogout(headers: Headers): void {
  headers.append("Set-Cookie", `${COOKIE}; Max-Age=0`);
}
