import { redirect, safeRedirectPath } from "../../router/internal.ts";
import { mountPrefixOf } from "./_denied_responses.ts";

/**
 * Creates an `onUnauthenticated` that redirects visitors to the login page, with
 * the requested path as `returnTo`. It leaves out the path of a form post,
 * because the browser sends a GET after the login. In a mounted router, both
 * paths include the mount prefix.
 *
 * Trust: after the login, pass `returnTo` through `safeRedirectPath`, because an
 * attacker can create a link with any value.
 *
 * @example Redirecting visitors to the login page
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
 * @throws {TypeError} If the path leads to another origin or has a fragment.
 */
export function redirectToLogin(path: string): (request: Request) => Response {
  // Headers can only contain ASCII.
  const page = safeRedirectPath(path, "");
  if (page === "" || page.includes("#")) {
    throw new TypeError(
      `Cannot redirect to login page "${path}": it must be a path on this origin without a fragment`,
    );
  }
  const prefix = `${page}${page.includes("?") ? "&" : "?"}returnTo=`;
  return (request) => {
    // A login ends with a GET, which the path of a POST may not support.
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
