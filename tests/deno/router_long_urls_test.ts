/** URLs longer than servers accept, which a caller of `fetch` can pass. */
import { assertEquals } from "@std/assert";
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";

Deno.test("ArrayMatcher handles millions of slashes, segments and dots", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/users/:id"), "user");
  matcher.add("GET", new RoutePattern("/files/*"), "file");
  const found = (path: string) =>
    matcher.match("GET", `https://example.com${path}`)?.data;
  for (const unit of ["/", "/a", ".a"]) {
    const rest = unit.repeat(8_000_000);
    assertEquals(found(`/other${rest}`), undefined, unit);
    assertEquals(found(`/files/${rest}`), "file", unit);
  }
});
