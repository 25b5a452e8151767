import { Auth } from "@gatehouse/web/auth-middleware";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { readCookie, setCookie } from "./cookies.ts";

/**
 * The cookie of a browser that has just logged out. The session, which holds all
 * other messages, has ended.
 */
const NAME = "loggedOut";

/** Returns `true` if the previous request was a logout. */
export function isLoggedOut(context: RequestContext): boolean {
  return context.get(Auth) === null && readCookie(context, NAME) === "1";
}

/** Makes the next page say that the user is logged out. */
export function rememberLogout(headers: Headers): void {
  setCookie(headers, NAME, "1", { maxAge: 60 });
}

/** Makes later pages not say it again. */
export function forgetLogout(headers: Headers): void {
  setCookie(headers, NAME, "", { maxAge: 0 });
}
