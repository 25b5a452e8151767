import type { Matcher } from "./matching/matcher.ts";
import type { MatchData, RouterOptions } from "./router.ts";

/** Returns the methods that have a route for a URL. */
export type FindAllowedMethods = (href: string) => string[];

/**
 * Creates the function that returns the methods that have a route for a URL, in
 * alphabetical order.
 */
export function createAllowedMethods(
  matcher: Matcher<MatchData>,
  trailingSlash: Required<RouterOptions>["trailingSlash"],
): FindAllowedMethods {
  return (href) => {
    const methods = methodsAt(href, matcher);
    if (trailingSlash === "strict") return methods;
    const others = methodsAt(toggleTrailingSlash(href), matcher);
    return [...new Set([...methods, ...others])].sort();
  };
}

/** Returns the methods for a URL. A mounted router returns its own methods. */
function methodsAt(url: string, matcher: Matcher<MatchData>): string[] {
  const methods = matcher.allowedMethods(url);
  if (methods.length === 0) return methods;
  const routeOf = (method: string) => matcher.match(method, url)?.data;
  const any = routeOf("ANY");
  const mounted = any?.mountedMethods?.(url);
  return mounted === undefined ? methods : [
    ...methods.filter((method) => routeOf(method) !== any),
    ...mounted.filter((method) => routeOf(method) === any),
  ].sort();
}

/** Returns the URL with a slash at the end of its path, or without it. */
export function toggleTrailingSlash(href: string): string {
  const url = new URL(href);
  const { pathname } = url;
  // The root keeps its slash, because no path is empty.
  url.pathname = pathname.endsWith("/")
    ? pathname.slice(0, -1)
    : `${pathname}/`;
  return url.href;
}
