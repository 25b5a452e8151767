import type { Matcher } from "./matching/matcher.ts";
import type { MatchData, RouterOptions } from "./router.ts";

/**
 * Returns the methods of a canonical URL. The search leaves out a method that is
 * known to have no route.
 */
export type AllowedMethods = (href: string, unmatched?: string) => string[];

/**
 * Creates the function that returns the methods that have a route for a canonical
 * URL, in alphabetical order.
 */
export function createAllowedMethods(
  matcher: Matcher<MatchData>,
  trailingSlash: Required<RouterOptions>["trailingSlash"],
): AllowedMethods {
  return (href, unmatched) => {
    const methods = methodsAt(href, matcher, unmatched);
    if (trailingSlash === "strict") return methods;
    const others = methodsAt(toggleTrailingSlash(href), matcher, unmatched);
    return [...new Set([...methods, ...others])].sort();
  };
}

/** Returns the methods for a URL. Those of a mounted router are its own. */
function methodsAt(
  url: string,
  matcher: Matcher<MatchData>,
  unmatched: string | undefined,
): string[] {
  const methods = matcher.allowedMethods(url, unmatched);
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
