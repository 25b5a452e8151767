import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { uncachedRedirect } from "./authorization_response.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import type { Settings } from "../settings.ts";

/**
 * The parameter that the server adds when it sends the browser to a login: the time
 * in epoch seconds after which the login must be. Without it, `prompt=login` would
 * ask again each time the browser returns.
 */
const LOGIN_AFTER = "login_after";

/** The longest time for which the parameter counts, in seconds. */
const MAX_LOGIN_SECONDS = 3_600;

/**
 * Returns `true` if the login of the session is recent enough for scopes. No parameter
 * of a client changes their times.
 */
export function isFreshLogin(
  { now }: Settings,
  context: RequestContext,
  { resource }: Pick<AuthorizationRequest, "resource">,
  scopes: readonly string[],
): boolean {
  const times = scopes.map((scope) => resource.fresh.get(scope) ?? Infinity);
  return now() - loginTimeOf(context) <= Math.min(...times);
}

/**
 * Returns `true` if the login of the session is as recent as a client asks for by
 * `prompt` and `max_age` (OpenID Connect Core 1.0, section 3.1.2.1).
 */
export function isWantedLogin(
  { now }: Settings,
  context: RequestContext,
  { maxAge, prompt }: Pick<AuthorizationRequest, "maxAge" | "prompt">,
): boolean {
  const time = now();
  const loginTime = loginTimeOf(context);
  const isRecent = prompt.has("login")
    ? false
    : maxAge === Infinity || time - loginTime <= maxAge;
  return isRecent ||
    Math.floor(loginTime / 1000) >= loginAfter(context, time);
}

function loginTimeOf(context: RequestContext): number {
  return context.get(Session).authenticatedAt ?? -Infinity;
}

/** Returns the time of the parameter, or `Infinity` if it is missing or invalid. */
function loginAfter({ url }: RequestContext, now: number): number {
  const text = url.searchParams.get(LOGIN_AFTER) ?? "";
  const age = Math.floor(now / 1000) - Number(text);
  return /^\d{1,10}$/.test(text) && age >= 0 && age <= MAX_LOGIN_SECONDS
    ? Number(text)
    : Infinity;
}

/**
 * Redirects to a page of the application that logs the user in and returns to the
 * request.
 *
 * @param page The path of the page.
 * @param search The query of the request.
 * @param path The path of the request.
 */
export function redirectToLogin(
  settings: Settings,
  page: string,
  search: string,
  path: string = settings.paths.authorize,
): Response {
  const target = encodeURIComponent(returnPathOf(settings, search, path));
  const separator = page.includes("?") ? "&" : "?";
  return uncachedRedirect(`${page}${separator}returnTo=${target}`, 303);
}

/** Returns the path that returns to a request after a login. */
export function returnPathOf(
  { now, paths }: Pick<Settings, "now" | "paths">,
  search: string,
  path: string = paths.authorize,
): string {
  // Parsing the query and writing it anew could make it longer than the
  // application accepts.
  const params = search.replace(/^\?/, "").split("&")
    .filter((param) => !param.startsWith(`${LOGIN_AFTER}=`));
  params.push(`${LOGIN_AFTER}=${Math.floor(now() / 1000)}`);
  return `${path}?${params.filter((param) => param !== "").join("&")}`;
}
