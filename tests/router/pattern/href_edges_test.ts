/** Links of unusual patterns: each one matches with the same params, or throws. */
import {
  ArrayMatcher,
  type PatternInput,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

type Params = Record<string, string>;

const links: readonly (readonly [PatternInput, Params, string])[] = [
  ["/:path*", { path: "a/b" }, "/a/b"],
  ["/x/:path*", {}, "/x"],
  ["/:path+/end", { path: "a/b" }, "/a/b/end"],
  ["/a*", { 0: "..b" }, "/a..b"],
  ["/a/*", { 0: "//x" }, "/a///x"],
  ["/a/*", { 0: "%2e%2e/x" }, "/a/%252e%252e/x"],
  ["/a/*", { 0: "\\..\\x" }, "/a/%5C..%5Cx"],
  ["/:a", { a: "%2e%2e" }, "/%252e%252e"],
  ["/:a{-:b}?", { a: "x", b: "y-z" }, "/x-y-z"],
  ["/:a(\\d+)-:b", { a: "1", b: "x" }, "/1-x"],
  ["{/:a}?/*", { 0: "/evil.example" }, "/%2Fevil.example"],
  ["/:a?/:b", { b: "evil.example" }, "/evil.example"],
  [
    { hostname: ":h", port: ":p", pathname: "/a" },
    { h: "x", p: "81" },
    "https://x:81/a",
  ],
  [
    { protocol: "http{s}?", hostname: "x.com", pathname: "/a" },
    {},
    "http://x.com/a",
  ],
  [
    { protocol: ":s", hostname: "x.com", pathname: "/a" },
    { s: "http" },
    "http://x.com/a",
  ],
  [
    { hostname: "(a|b).x.com", pathname: "/:i" },
    { 0: "b", i: "1" },
    "https://b.x.com/1",
  ],
  [{ pathname: "/a", hash: ":part" }, { part: "x y" }, "/a#x%20y"],
  ["/(a\\))", { 0: "a)" }, "/a)"],
];

for (const [input, params, link] of links) {
  Deno.test(`href(${JSON.stringify(params)}) of ${JSON.stringify(input)} is "${link}", which matches`, () => {
    const pattern = new RoutePattern(input);
    assertEquals(pattern.href(params), link);
    const matcher = new ArrayMatcher<null>();
    matcher.add("GET", pattern, null);
    const { href } = new URL(link, "https://example.com");
    assertEquals({ ...matcher.match("GET", href)?.params }, params);
  });
}

const refused: readonly (readonly [PatternInput, Params])[] = [
  // With the fixed parts, the value would be a dot segment or another host.
  ["/*..", { 0: "" }],
  ["/*%2e", { 0: "." }],
  ["/x/{:a}?..", {}],
  ["//evil.example/:a", { a: "x" }],
  ["/{/evil.example}", {}],
  ["/\\/evil.example", {}],
  ["{//}?evil.example", {}],
  ["/:a?/evil.example//*", { 0: ".." }],
  // The pattern would find another value in it.
  ["/:a{-:b}?", { a: "x-y" }],
  ["/:path*", { path: "a//b" }],
  ["/:path*", { path: "" }],
  ["/:a.:b", { a: "x.y", b: "z" }],
  ["/:a(\\d+)-:b", { a: "x", b: "y" }],
  [{ hostname: ":h", port: ":p", pathname: "/a" }, { h: "x", p: "443" }],
  [{ hostname: ":h", port: ":p", pathname: "/a" }, { h: "x", p: "80/" }],
  [{ hostname: ":h", port: ":p", pathname: "/a" }, { h: "x", p: "99999" }],
  [{ hostname: ":t.x.com", pathname: "/a" }, { t: "ADA" }],
  [{ hostname: ":t.x.com", pathname: "/a" }, { t: "a:80" }],
  [{ hostname: ":t.x.com", pathname: "/a" }, { t: "u@evil.example" }],
  [{ hostname: "*.x.com", pathname: "/a" }, { 0: "evil.example/" }],
  [{ hostname: "*.x.com", pathname: "/*" }, { 0: "user@evil" }],
  [{ hostname: "*.x.com", pathname: "/a", search: "q=*" }, { 0: "é" }],
  [{ pathname: "/a", search: "q=:q" }, { q: "" }],
  [{ pathname: "/a", search: "q=:q(\\d+)" }, { q: "x" }],
  [{ hostname: ":t([^.]+).x.com", pathname: "/a" }, { t: "evil/" }],
  [{ protocol: ":s", hostname: "x.com", pathname: "/" }, { s: "a://b#" }],
];

for (const [input, params] of refused) {
  Deno.test(`href(${JSON.stringify(params)}) of ${JSON.stringify(input)} throws a TypeError`, () => {
    const error = assertThrows(() => new RoutePattern(input).href(params));
    assertEquals(error instanceof TypeError, true, String(error));
  });
}

Deno.test("href() treats null and inherited properties as missing", () => {
  const href = (params: unknown) =>
    new RoutePattern("/:a/:b").href(params as Params);
  for (
    const params of [{ a: null, b: null }, Object.create({ a: "", b: "" })]
  ) {
    assertThrows(
      () => href(params),
      TypeError,
      'the params "a", "b" are missing',
    );
  }
});

Deno.test("RoutePattern.href() rejects a value that a regexp group does not match, also with search params", () => {
  const pattern = new RoutePattern({ pathname: "/:id(\\d+)", search: "q=:q" });
  assertEquals(pattern.href({ id: "7", q: "1" }), "/7?q=1");
  assertThrows(() => pattern.href({ id: "x", q: "1" }), TypeError);
});

Deno.test("RoutePattern.href() never leads to another host by a regexp group, also with search params", () => {
  const pattern = new RoutePattern({
    protocol: "https",
    hostname: ":tenant([a-z]+).example.com",
    pathname: "/a",
    search: "q=:q",
  });
  assertEquals(
    pattern.href({ tenant: "own", q: "1" }),
    "https://own.example.com/a?q=1",
  );
  for (const tenant of ["evil.example/", "evil.example?", "a@evil.example/"]) {
    assertThrows(() => pattern.href({ tenant, q: "1" }), TypeError);
  }
});

Deno.test("RoutePattern.href() returns a path if the pattern has a scheme or a port but no host", () => {
  const [scheme, port] = [{ protocol: "http" }, { port: "8000" }];
  assertEquals(new RoutePattern({ ...scheme, pathname: "/a" }).href(), "/a");
  const pattern = new RoutePattern({ ...port, pathname: "/:id(\\d+)" });
  assertEquals(pattern.href({ id: 7 }), "/7");
  assertThrows(() => pattern.href({ id: "x" }), TypeError);
  assertEquals(pattern.source, "*://*:8000/:id(\\d+)");
  const ignoring = new RoutePattern({ ...port, pathname: "/:x(a+)" }, {
    ignoreCase: true,
  });
  assertEquals(ignoring.href({ x: "A" }), "/A");
});
