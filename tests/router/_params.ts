import { ArrayMatcher, type RoutePattern } from "@gatehouse/web/fetch-router";

/** Returns the params of a pattern in a URL, or `null` if it does not match. */
export function paramsOf(
  pattern: RoutePattern,
  url: string,
): Record<string, string> | null {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", pattern, null);
  const match = matcher.match("GET", url);
  return match && { ...match.params };
}
