import { ArrayMatcher, type RoutePattern } from "@gatehouse/web/fetch-router";

/** What a pattern finds in a URL; `null` where it does not match. */
export function paramsOf(
  pattern: RoutePattern,
  url: string,
): Record<string, string> | null {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", pattern, null);
  const match = matcher.match("GET", url);
  return match && { ...match.params };
}
