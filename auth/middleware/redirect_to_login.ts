import { redirect, safeRedirectPath } from "../../router/mod.ts";
import { mountPrefixOf } from "./_answers.ts";

/**
 * Creates an `onUnauthenticated` that sends visitors to the login page, with
 * the path they asked for as `returnTo`. That of a form is left out: after the
 * login the browser asks by GET. Both paths are those that the browser knows,
 * also where a guard of a mounted router asks.
 *
 * Trust: whoever reads `returnTo` after the login passes it through
 * `safeRedirectPath`, for anyone can make a link with another one.
 *
 * @example With requireAuth
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { redirectToLogin } from "@gatehouse/web/auth-middleware";
 *
 * const toLogin = redirectToLogin("/login");
 * const response = toLogin(new Request("https://example.com/a?b=1"));
 * assertEquals(response.status, 302);
 * assertEquals(response.headers.get("Location"), "/login?returnTo=%2Fa%3Fb%3D1");
 * ```
 *
 * @param path The path of the login page.
 * @returns A function for the `onUnauthenticated` of `requireAuth`.
 * @throws {TypeError} If the path is not one of the own origin.
 */
export function redirectToLogin(path: string): (request: Request) => Response {
  // In ASCII: a header takes no other letters.
  const page = safeRedirectPath(path, "");
  if (page === "" || page.includes("#")) {
    throw new TypeError(
      `Cannot redirect to login page "${path}": it must be a path of the own origin, without a fragment`,
    );
  }
  const prefix = `${page}${page.includes("?") ? "&" : "?"}returnTo=`;
  return (request) => {
    // A login ends in a GET: the path of a POST may have no page to return to.
    const isPage = request.method === "GET" || request.method === "HEAD";
    const response = redirect(
      isPage ? prefix + encodeURIComponent(pathOf(request)) : page,
    );
    response.headers.set("Cache-Control", "no-store");
    return response;
  };
}

function pathOf(request: Request): string {
  const url = URL.parse(request.url);
  if (url === null) return "/";
  return safeRedirectPath(mountPrefixOf(request) + url.pathname + url.search);
}
