/** Which route wins, which ones are the same, and what methods a URL answers. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { Random } from "./_random.ts";

/** Patterns from the most to the least specific, and a URL of them all. */
const ORDERS: readonly (readonly [url: string, ...patterns: string[]])[] = [
  ["/a", "/a", "/a:b?", "/:b(a)", "/:b", "/:b+", "/:b*", "/*{/x}?", "/*"],
  [
    "/a/b",
    "/a/b",
    "/a/b:x?",
    "/a/:x",
    "/a/*",
    "/:x/b",
    "/:x/:y",
    "/:x/*",
    "/*",
  ],
  ["/a/b", "/a/:x(b)", "/a/:x", "/a/:x+", "/a/*"],
  ["/abc", "/abc", "/ab:x", "/a:x", "/:x(abc)", "/:x"],
  ["/a-b", "/a-:x", "/:x-:y", "/:x"],
  ["/a1", "/a:x(\\d)", "/a:x", "/:x(a\\d)", "/:x"],
  ["/a/b/c", "/a/:x/:y", "{/a/b}?/:x"],
  ["/a", "https://:x.com/a", "https://(.+com)/a", "https://*com/a", "/a"],
  ["/a/b/c", "/a/b/*", "/a/:x/c", "/a/:x/:y", "/a/*/c", "/a/*", "/*/c", "/*"],
  ["/a", "/a", "/a{/:x}?", "/a/:x*", "/a*"],
  ["/", "/", "/*"],
  ["/a/", "/a/", "/a/*", "/:x/", "/:x/*", "/*"],
  [
    "/a",
    "https://example.com/a",
    "https://:x.com/a",
    "https://:x.:y/a",
    "https://*/a",
    "/a",
    "https://example.com/:x",
    "/:x",
  ],
];

for (const [path, ...patterns] of ORDERS) {
  Deno.test(`of "${path}", the order is ${patterns.join("  ")}`, () => {
    const url = `https://example.com${path}`;
    const random = new Random(patterns.length);
    for (let i = 0; i < 20; i++) {
      // In any order of registration, and with any of them missing.
      const some = patterns.filter(() => random.chance(0.6));
      const shuffled = some.toSorted(() => random.chance(0.5) ? 1 : -1);
      const matcher = matcherOf([]);
      // A match must leave nothing behind that routes after it would change.
      for (const [index, pattern] of shuffled.entries()) {
        matcher.add("GET", new RoutePattern(pattern), pattern);
        const sofar = shuffled.slice(0, index + 1);
        assertEquals(
          matcher.match("GET", url)?.data,
          some.find((each) => sofar.includes(each)),
          sofar.join(" "),
        );
      }
    }
  });
}

const TIES = [
  ["/a-b", "/:x-b", "/a-:x"],
  ["/a", "/:x(\\w)", "/:x([a-z])"],
  ["/x-y.z", "/:a-:b", "/:a.:b"],
  ["/a", "/a{b}?", "{/a}?"],
  // Each has many forms, and this is a late one of the first.
  ["/d/e/x", "{/a}?{/b}?{/c}?{/d}?{/e}?/:x", "{/d}?{/e}?{/f}?{/g}?{/h}?/:x"],
];

for (const [path, ...patterns] of TIES) {
  Deno.test(`of "${path}", "${patterns[0]}" and "${patterns[1]}" tie: the first one wins`, () => {
    const url = `https://example.com${path}`;
    for (const order of [patterns, patterns.toReversed()]) {
      const matcher = matcherOf(order.map((pattern) => ["GET", pattern]));
      assertEquals(matcher.match("GET", url)?.data, `GET ${order[0]}`);
    }
  });
}

const SAME = [
  ["/a", "/a"],
  ["/a", "a"],
  ["/a", "/{a}"],
  ["/a/../b", "/b"],
  ["/é", "/%C3%A9"],
  ["/:a", "/:b"],
  ["/:a/x", "/:b/x"],
  ["/:a-:b", "/:c-:d"],
  ["/*", "/*"],
  ["/a/*", "/a/*"],
  ["/:a?", "/:b?"],
  ["/:a+", "/:b+"],
  ["{/:a}?/x", "{/:b}?/x"],
  ["/:a(\\d+)", "/:b(\\d+)"],
  ["/:a", "/([^/]+?)"],
  ["/x-:a", "/x-([^\\/]+?)"],
  ["/*/x", "/(.*)/x"],
  ["https://:a.example.com/", "https://:b.example.com/"],
];

for (const [first, second] of SAME) {
  Deno.test(`adding "${second}" after "${first}" is a RangeError that names both`, () => {
    const matcher = matcherOf([["GET", first!]]);
    const error = assertThrows(
      () => matcher.add("GET", new RoutePattern(second!), ""),
      RangeError,
    );
    const { source } = new RoutePattern(first!);
    assert(error.message.includes(`"GET ${source}" matches the same URLs`));
    // Another method may have it, and so may one that ignores case.
    matcher.add("POST", new RoutePattern(second!), "");
    matcher.add("ANY", new RoutePattern(second!), "");
    matcher.add("GET", new RoutePattern(second!, { ignoreCase: true }), "");
  });
}

Deno.test("patterns that differ in what they match are no duplicates", () => {
  const patterns = [
    "/a",
    "/a/",
    "/A",
    "/:a",
    "/:a?",
    "/:a+",
    "/:a*",
    "/*",
    "/{a}?",
    "/:a(\\d+)",
    "/:a(\\d*)",
    "/:a-:b",
    "/:a.:b",
    "https://example.com/a",
    "http://example.com/a",
  ];
  const matcher = matcherOf(patterns.map((pattern) => ["GET", pattern]));
  for (const name of ["search", "hash"]) {
    matcher.add("GET", new RoutePattern({ pathname: "/a", [name]: "x" }), name);
  }
});

Deno.test("a route that is added after a match can win the next one", () => {
  const matcher = matcherOf([
    ["GET", "/a-:x/b/:y"],
    ["GET", "/:x-d/b/*"],
  ]);
  const url = "https://example.com/a-d/b/c";
  assertEquals(matcher.match("GET", url)?.data, "GET /a-:x/b/:y");
  // As much text in its first segment, and below the one that has lost.
  matcher.add("GET", new RoutePattern("/:x-d/b/c"), "later");
  assertEquals(matcher.match("GET", url)?.data, "later");
});

Deno.test("a route that is added after a match can win by its other form", () => {
  const matcher = matcherOf([["GET", "/:x/a"], ["GET", "/:x/:y"]]);
  const url = "https://example.com/x/a";
  assertEquals(matcher.match("GET", url)?.data, "GET /:x/a");
  // Its first segment is text, where there is one.
  matcher.add("GET", new RoutePattern("{/s}?/:x/:z"), "later");
  assertEquals(matcher.match("GET", url)?.data, "later");
});

Deno.test("the most specific route wins, whatever its siblings are called", () => {
  for (const name of "abcdefghijkl") {
    const matcher = matcherOf([
      ["GET", `/a-:x/${name}/:y`],
      ["GET", "/:x-d/m/*"],
      ["GET", `/:x-d/${name}/c`],
    ]);
    const url = `https://example.com/a-d/${name}/c`;
    assertEquals(matcher.match("GET", url)?.data, `GET /:x-d/${name}/c`);
  }
});

Deno.test("a route of the method comes before one for any method, however specific", () => {
  const matcher = matcherOf([["ANY", "/a"], ["GET", "/*"]]);
  const find = (method: string) =>
    matcher.match(method, "https://example.com/a")?.data;
  assertEquals(find("GET"), "GET /*");
  assertEquals(find("POST"), "ANY /a");
  assertEquals(find("PURGE"), "ANY /a");
});

Deno.test("HEAD falls back to GET only where no HEAD route matches", () => {
  const matcher = matcherOf([["GET", "/a"], ["HEAD", "/:x"], ["ANY", "/b/c"]]);
  const find = (method: string, path: string) =>
    matcher.match(method, `https://example.com${path}`)?.data;
  assertEquals(find("HEAD", "/a"), "HEAD /:x");
  assertEquals(find("HEAD", "/b/c"), "ANY /b/c");
  assertEquals(find("GET", "/b"), undefined);
  const other = matcherOf([["GET", "/a"], ["ANY", "/a"]]);
  assertEquals(
    other.match("HEAD", "https://example.com/a")?.data,
    "GET /a",
  );
});

Deno.test("ignoring case and not, the more specific route wins", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/A/:x", { ignoreCase: true }), "folded");
  matcher.add("GET", new RoutePattern("/a/*"), "wild");
  matcher.add("GET", new RoutePattern("/a/b"), "exact");
  const find = (path: string) =>
    matcher.match("GET", `https://example.com${path}`);
  assertEquals(find("/a/b")?.data, "exact");
  assertEquals(find("/A/B")?.data, "folded");
  assertEquals(find("/A/B")?.params.x, "B");
  assertEquals(find("/a/B/c")?.data, "wild");
  assertEquals(find("/A/B/c"), null);
});

Deno.test("a route that ignores case wins if it is the more specific one, whatever begins like it", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/a/*", { ignoreCase: true }), "wild");
  matcher.add("GET", new RoutePattern("/a/b/c", { ignoreCase: true }), "text");
  matcher.add("GET", new RoutePattern("/a/:x/c"), "param");
  const find = (path: string) =>
    matcher.match("GET", `https://example.com${path}`)?.data;
  assertEquals(find("/a/b/c"), "text");
  assertEquals(find("/a/x/c"), "param");
  assertEquals(find("/a/x/C"), "wild");
});

Deno.test("allowedMethods() lists what a URL answers, in order, HEAD for GET", () => {
  const matcher = matcherOf([
    ["POST", "/a"],
    ["GET", "/a"],
    ["DELETE", "/:x"],
    ["PURGE", "/a/b"],
    ["ANY", "/any"],
    ["PATCH", "https://example.com/host"],
  ]);
  const at = (path: string, origin = "https://example.com") =>
    matcher.allowedMethods(origin + path);
  assertEquals(at("/a"), ["DELETE", "GET", "HEAD", "POST"]);
  assertEquals(at("/a?x#y"), ["DELETE", "GET", "HEAD", "POST"]);
  assertEquals(at("/b/../a"), ["DELETE", "GET", "HEAD", "POST"]);
  assertEquals(at("/a/b"), ["PURGE"]);
  assertEquals(at("/any"), [
    "DELETE",
    "GET",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "POST",
    "PUT",
  ]);
  assertEquals(at("/host"), ["DELETE", "PATCH"]);
  assertEquals(at("/host", "https://example.org"), ["DELETE"]);
  assertEquals(at("/x/y/z"), []);
  assertEquals(at("", "no url"), []);
});

function matcherOf(
  routes: readonly (readonly [method: string, pattern: string])[],
): ArrayMatcher<string> {
  const matcher = new ArrayMatcher<string>();
  for (const [method, pattern] of routes) {
    matcher.add(method, new RoutePattern(pattern), `${method} ${pattern}`);
  }
  return matcher;
}
