/** The specificity of routes, duplicates, and the methods of a URL. */
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Random } from "../_random.ts";

/** Patterns from the most to the least specific, and a URL that all match. */
const ORDERS: readonly (readonly [url: string, ...patterns: string[]])[] = [
  ["/a", "/a", "{/a}?", "/a{b}?", "/a:b?", "/:b(a)", "/:b", "/:b?", "/:b+"],
  ["/a", "/:b+", "/:b*", "/*", "/*{/x}?"],
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
  ["/a/b/c", "{/a/b}?/:x", "/a/:x/:y"],
  ["/en/about", "{/:lang}?/about", "/:category/:slug"],
  ["/about", "{/:lang}?/about", "/:page"],
  ["/a/a", "/a/:y", "{/:x}?/a{/:y}?", "/:x/a"],
  ["/a", "https://:x.com/a", "https://(.+com)/a", "https://*com/a", "/a"],
  ["/d/e/x", "{/d}?{/e}?{/f}?{/g}?{/h}?/:x", "{/a}?{/b}?{/c}?{/d}?{/e}?/:x"],
  ["/a/b/c", "/a/b/*", "/a/:x/c", "/a/:x/:y", "/a/*/c", "/a/*", "/*/c", "/*"],
  ["/a", "/a", "/a{/:x}?", "/a*"],
  ["/a", "/a", "/a/:x*", "/a*"],
  ["/", "/", "/*"],
  ["/a/", "/a/", "/a/*", "/:x/", "/:x/*", "/*"],
  [
    "/a",
    "https://example.com/a",
    "https://example.com/:x",
    "https://example.com/*",
    "https://:x.com/a",
    "https://*/a",
    "https://:x.com/*",
    "/a",
    "/:x",
  ],
];

for (const [path, ...patterns] of ORDERS) {
  Deno.test(`the order for "${path}" is ${patterns.join("  ")}`, () => {
    const url = `https://example.com${path}`;
    const random = new Random(patterns.length);
    for (let i = 0; i < 20; i++) {
      // In any order of registration, and without any one of them.
      const some = patterns.filter(() => random.chance(0.6));
      const shuffled = some.toSorted(() => random.chance(0.5) ? 1 : -1);
      const matcher = matcherOf([]);
      // A match must not affect routes that are added after it.
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

for (const origin of [{ protocol: "https" }, { port: "8443" }]) {
  Deno.test(`a pattern with only ${Object.keys(origin)} is more specific than one of any origin`, () => {
    const url = "https://example.com:8443/a";
    const patterns = [
      ["origin", new RoutePattern({ ...origin, pathname: "/*" })],
      ["path", new RoutePattern("/a")],
    ] as const;
    for (const order of [patterns, patterns.toReversed()]) {
      const matcher = new ArrayMatcher<string>();
      for (const [name, pattern] of order) matcher.add("GET", pattern, name);
      assertEquals(matcher.match("GET", url)?.data, "origin");
    }
  });
}

const TIES = [
  ["/a-b", "/:x-b", "/a-:x"],
  ["/a", "/:x(\\w)", "/:x([a-z])"],
  ["/x-y.z", "/:a-:b", "/:a.:b"],
  ["/a", "/a{/:x}?", "/a/:x*"],
  ["/", "/:a?", "{/b}?"],
  // Each pattern has many forms; this is a late one of the first pattern.
  ["/d/x", "{/a}?{/b}?{/c}?{/d}?/:x", "{/d}?{/e}?{/f}?{/g}?/:x"],
];

for (const [path, ...patterns] of TIES) {
  Deno.test(`"${patterns[0]}" and "${patterns[1]}" tie for "${path}", and the first one wins`, () => {
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
  Deno.test(`add() of "${second}" after "${first}" throws a RangeError that names both`, () => {
    const matcher = matcherOf([["GET", first!]]);
    const error = assertThrows(
      () => matcher.add("GET", new RoutePattern(second!), ""),
      RangeError,
    );
    const { source } = new RoutePattern(first!);
    assert(error.message.includes(`"GET ${source}" matches the same URLs`));
    // Another method or a pattern with ignoreCase may have it.
    matcher.add("POST", new RoutePattern(second!), "");
    matcher.add("ANY", new RoutePattern(second!), "");
    matcher.add("GET", new RoutePattern(second!, { ignoreCase: true }), "");
  });
}

Deno.test("patterns with different matches are not duplicates", () => {
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
  // Its first segment has as much text, and it follows the one that lost.
  matcher.add("GET", new RoutePattern("/:x-d/b/c"), "later");
  assertEquals(matcher.match("GET", url)?.data, "later");
});

Deno.test("a route that is added after a match can win by its other form", () => {
  const matcher = matcherOf([["GET", "/:x/a"], ["GET", "/:x/:y"]]);
  const url = "https://example.com/x/a";
  assertEquals(matcher.match("GET", url)?.data, "GET /:x/a");
  // It begins with fixed text without its first segment.
  matcher.add("GET", new RoutePattern("{/:s}?/x/:z"), "later");
  assertEquals(matcher.match("GET", url)?.data, "later");
});

Deno.test("the most specific route wins with any names of its siblings", () => {
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

Deno.test("a more specific ANY route wins over a general route of the method", () => {
  const routes = [["ANY", "/a"], ["GET", "/*"], ["GET", "/b"], ["ANY", "/b"]];
  for (const order of [routes, routes.toReversed()]) {
    const matcher = matcherOf(order as [string, string][]);
    const find = (method: string, path: string) =>
      matcher.match(method, `https://example.com${path}`)?.data;
    assertEquals(find("GET", "/a"), "ANY /a");
    assertEquals(find("HEAD", "/a"), "ANY /a");
    assertEquals(find("POST", "/a"), "ANY /a");
    assertEquals(find("PURGE", "/a"), "ANY /a");
    assertEquals(find("GET", "/b"), "GET /b");
    assertEquals(find("HEAD", "/b"), "GET /b");
    assertEquals(find("POST", "/b"), "ANY /b");
    assertEquals(find("GET", "/c"), "GET /*");
    assertEquals(find("POST", "/c"), undefined);
  }
});

Deno.test("an ANY route serves methods that are registered later", () => {
  const matcher = matcherOf([
    ["ANY", "/a/:x"],
    ["ANY", "https://example.com/h/:x"],
  ]);
  matcher.add("ANY", new RoutePattern("/A/b", { ignoreCase: true }), "folded");
  const find = (method: string, path: string) =>
    matcher.match(method, `https://example.com${path}`)?.data;
  assertEquals(find("POST", "/a/x"), "ANY /a/:x");
  matcher.add("POST", new RoutePattern("/a/:y"), "POST /a/:y");
  matcher.add("POST", new RoutePattern("https://example.com/h/b"), "POST h");
  assertEquals(find("POST", "/a/x"), "POST /a/:y");
  assertEquals(find("POST", "/a/b"), "folded");
  assertEquals(find("POST", "/h/b"), "POST h");
  assertEquals(find("POST", "/h/c"), "ANY https://example.com/h/:x");
  assertThrows(
    () => matcher.add("ANY", new RoutePattern("/a/:z"), ""),
    RangeError,
  );
});

Deno.test("a pattern with a host wins over one without, and hosts are distinguished", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/users/:id"), "none");
  for (let i = 0; i < 300; i++) {
    const pattern = new RoutePattern(`https://admin-${i}.example.com/*`);
    matcher.add("GET", pattern, `admin ${i}`);
  }
  matcher.add(
    "POST",
    new RoutePattern("https://admin-7.example.com/*"),
    "post",
  );
  const find = (url: string, method = "GET") =>
    matcher.match(method, url)?.data;
  assertEquals(find("https://admin-7.example.com/users/7"), "admin 7");
  assertEquals(find("https://admin-299.example.com/users/7"), "admin 299");
  assertEquals(find("https://ADMIN-7.example.com/users/%37"), "admin 7");
  assertEquals(find("https://admin-7.example.com:8000/users/7"), "none");
  assertEquals(find("http://admin-7.example.com/users/7"), "none");
  assertEquals(find("https://example.com/users/7"), "none");
  assertEquals(find("https://admin-7.example.com/", "POST"), "post");
  assertEquals(find("https://admin-8.example.com/", "POST"), undefined);
  assertEquals(
    matcher.allowedMethods("https://admin-7.example.com/x"),
    ["GET", "HEAD", "POST"],
  );
  assertEquals(matcher.allowedMethods("https://example.com/x"), []);
});

for (const path of ["/users", "/users/:id", "/:a?/:b", "/*"]) {
  Deno.test(`no host with params takes "${path}" from a fixed host with a wildcard`, () => {
    const routes = [
      ["GET", `https://:team.example.com${path}`],
      ["ANY", `https://:sub.:team.com${path}`],
      ["GET", `https://{:team.}?example.com${path}`],
      ["GET", "https://(admin|www).example.com/*"],
      ["ANY", "https://admin.example.com/*"],
    ] as const;
    for (const order of [routes, routes.toReversed()]) {
      const matcher = matcherOf(order);
      for (const url of ["/users", "/users/7", "/USERS", "//users", "/"]) {
        for (const method of ["GET", "HEAD", "DELETE"]) {
          const match = matcher.match(
            method,
            `https://admin.example.com${url}`,
          );
          assertEquals(match?.data, "ANY https://admin.example.com/*");
        }
      }
    }
  });
}

Deno.test("HEAD falls back to GET only if no HEAD route matches", () => {
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

Deno.test("the more specific route wins, with or without ignoreCase", () => {
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

Deno.test("a route with ignoreCase wins if it is more specific than others with the same prefix", () => {
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

Deno.test("allowedMethods() returns the sorted methods of a URL, with HEAD for GET", () => {
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
  // An ANY route answers all methods, also those of other routes.
  assertEquals(at("/any"), [
    "DELETE",
    "GET",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "POST",
    "PURGE",
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

Deno.test("HEAD matches the GET route, even if another path has a HEAD route", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("HEAD", new RoutePattern("/other"), "HEAD /other");
  matcher.add("GET", new RoutePattern("/"), "GET /");
  matcher.add("ANY", new RoutePattern("/"), "ANY /");

  assertEquals(matcher.match("HEAD", "https://example.com/")?.data, "GET /");
});
