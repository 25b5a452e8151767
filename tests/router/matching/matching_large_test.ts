import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";

Deno.test("more fixed text is more specific, even if the sums of lengths are equal or large", () => {
  const rows = [
    ["/aa:x/b:y", `/a:x/${"b".repeat(32)}:y`, `/aaa/${"b".repeat(33)}`],
    ["/aaa:x/b:y", `/a:x/${"b".repeat(63)}:y`, `/aaaa/${"b".repeat(64)}`],
    [`/${"a".repeat(512)}:x`, "/a:x", `/${"a".repeat(513)}`],
    [`/${"a".repeat(300)}:x`, `/${"a".repeat(299)}:x`, `/${"a".repeat(301)}`],
  ] as const;
  for (const [more, less, path] of rows) {
    for (const order of [[more, less], [less, more]]) {
      const matcher = new ArrayMatcher<string>();
      for (const source of order) {
        matcher.add("GET", new RoutePattern(source), source);
      }
      assertEquals(matcher.match("GET", origin + path)?.data, more);
    }
  }
});

Deno.test("new RoutePattern() rejects a name in two parts of a URL", () => {
  assertThrows(
    () => new RoutePattern("https://:name.example.com/:name"),
    TypeError,
    'the param "name" occurs twice',
  );
  // Numbers may occur twice.
  new RoutePattern("https://*.example.com/*");
});
