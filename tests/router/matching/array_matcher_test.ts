/** The matches of patterns with the syntax of URLPattern. */
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { isQuirky } from "../_quirks.ts";

type Row = readonly [
  pattern: string,
  path: string,
  params: Readonly<Record<string, string>> | null,
];

const SYNTAX: readonly Row[] = [
  // Fixed text.
  ["/", "/", {}],
  ["/", "//", null],
  ["/users", "/users", {}],
  ["/users", "/users/", null],
  ["/users", "/Users", null],
  ["/users", "/user", null],
  ["/users", "/users2", null],
  ["/users/", "/users/", {}],
  ["/users/", "/users", null],
  ["/a//b", "/a//b", {}],
  ["/a//b", "/a/b", null],
  ["//", "//", {}],
  ["users", "/users", {}],
  // Params.
  ["/users/:id", "/users/7", { id: "7" }],
  ["/users/:id", "/users/", null],
  ["/users/:id", "/users/7/", null],
  ["/users/:id", "/users/7/8", null],
  ["/users/:id/", "/users/7/", { id: "7" }],
  ["/:a/:b/:c", "/1/2/3", { a: "1", b: "2", c: "3" }],
  ["/:$a/:_b/:ünï", "/1/2/3", { $a: "1", _b: "2", ünï: "3" }],
  ["/:constructor", "/x", { constructor: "x" }],
  // Fixed text around params.
  ["/@:user", "/@ada", { user: "ada" }],
  ["/@:user", "/@", null],
  ["/@:user", "/ada", null],
  ["/v:version/users", "/v2/users", { version: "2" }],
  ["/:year-:month", "/2026-11", { year: "2026", month: "11" }],
  ["/:year-:month", "/2026-11-21", { year: "2026", month: "11-21" }],
  ["/:year-:month", "/2026-", null],
  ["/:year-:month", "/-11-21", { year: "-11", month: "21" }],
  ["/:a-:b", "/--1", { a: "-", b: "1" }],
  ["/:file.:ext", "/a.b.c", { file: "a", ext: "b.c" }],
  ["/:id.json", "/7.json", { id: "7" }],
  ["/:id.json", "/.json", null],
  ["/:id.json", "/a.json.json", { id: "a.json" }],
  ["/:a:b", "/xyz", { a: "x", b: "yz" }],
  ["/:a:b", "/x", null],
  ["/{:a}b", "/xb", { a: "x" }],
  ["/a:b", "/a7", { b: "7" }],
  // Wildcards.
  ["/files/*", "/files/", { 0: "" }],
  ["/files/*", "/files", null],
  ["/files/*", "/files/a/b", { 0: "a/b" }],
  ["/files/*", "/files//", { 0: "/" }],
  ["/files*", "/files", { 0: "" }],
  ["/files*", "/filesystem/a", { 0: "ystem/a" }],
  ["*", "/a/b", { 0: "a/b" }],
  ["/*", "/", { 0: "" }],
  ["/*/edit", "/a/b/edit", { 0: "a/b" }],
  ["/*/edit", "/edit", null],
  ["/*/edit", "//edit", { 0: "" }],
  ["/*/*", "/a/b/c", { 0: "a/b", 1: "c" }],
  ["/a/*.png", "/a/b/c.png.png", { 0: "b/c.png" }],
  ["/:a/*", "/x/y/z", { a: "x", 0: "y/z" }],
  ["/*-*", "/a-b-c", { 0: "a-b", 1: "c" }],
  // Optional and repeated params.
  ["/users/:id?", "/users", {}],
  ["/users/:id?", "/users/7", { id: "7" }],
  ["/users/:id?", "/users/", null],
  ["/files/:path+", "/files/a/b/c", { path: "a/b/c" }],
  ["/files/:path+", "/files", null],
  ["/files/:path+", "/files/", null],
  ["/files/:path+", "/files/a//b", null],
  ["/files/:path+", "/files/a/", null],
  ["/files/:path*", "/files", {}],
  ["/files/:path*", "/files/a/b", { path: "a/b" }],
  ["/files/:path*", "/files/", null],
  ["/:path+/edit", "/a/b/edit", { path: "a/b" }],
  // A repeat is greedy, a param is not.
  ["/x:a+:b", "/xabc", { a: "ab", b: "c" }],
  ["/x:a*:b(\\w{1,2})", "/xabc", { a: "ab", b: "c" }],
  ["/x:a:b", "/xabc", { a: "a", b: "bc" }],
  ["/{a:x-}+:y", "/a1-a2-a3", { x: "1-a2", y: "a3" }],
  ["/:path*/edit", "/edit", {}],
  ["/:a?/:b?", "/x", { a: "x" }],
  ["/:a?/:b?", "/x/y", { a: "x", b: "y" }],
  ["/:a?/b", "/b", {}],
  ["/:a?/b", "/b/b", { a: "b" }],
  ["/a/*?", "/a", {}],
  ["/a/*?", "/a/b/c", { 0: "b/c" }],
  // Groups.
  ["/users{/}?", "/users", {}],
  ["/users{/}?", "/users/", {}],
  ["/users{/}?", "/users//", null],
  ["{/:lang}?/docs", "/docs", {}],
  ["{/:lang}?/docs", "/en/docs", { lang: "en" }],
  ["/{a}{b}", "/ab", {}],
  ["/x{y}+", "/xyyy", {}],
  ["/x{y}+", "/x", null],
  ["/x{y}*z", "/xz", {}],
  ["/x{y}*z", "/xyyz", {}],
  ["/blog{/:year}?{/:month}?", "/blog/2026", { year: "2026" }],
  ["/:file{.:ext}?", "/a", { file: "a" }],
  ["/:file{.:ext}?", "/a.b", { file: "a", ext: "b" }],
  ["/:file{.:ext}?", "/.b", { file: ".b" }],
  ["/x{-:n-}+", "/x-1-", { n: "1" }],
  ["/x{-:n-}+", "/x-1--2-", { n: "1--2" }],
  ["{/a/:b}+", "/a/1/a/2", { b: "1/a/2" }],
  ["/{:a-}?:b", "/x-y", { a: "x", b: "y" }],
  ["/{:a-}?:b", "/y", { b: "y" }],
  // Text after an optional group is only present with the group.
  ["/x{:a-}?y", "/x12y", null],
  ["/{:a-}*x", "/abx", null],
  ["/x{:a-}*y", "/xy", {}],
  ["/a{*b}?", "/ab", { 0: "" }],
  ["/a{*b}?", "/a", {}],
  ["/:a{/:b}?c", "/xc", { a: "x" }],
  ["/:a{/:b}?c", "/x/yc", { a: "x", b: "y" }],
  ["{/:a-y}", "/x-y", { a: "x" }],
  ["{/:a-y}", "/x", null],
  ["{/:a-}+", "/x-/y-", { a: "x-/y" }],
  ["{/:a-}+", "/x", null],
  // Regexp groups.
  ["/:id(\\d+)", "/7", { id: "7" }],
  ["/:id(\\d+)", "/7a", null],
  ["/:id(\\d+)", "/٣", null],
  ["/(\\d+)", "/7", { 0: "7" }],
  ["/(\\d+)-(\\w+)", "/7-a", { 0: "7", 1: "a" }],
  ["/(\\d+).(\\d+)", "/1.2", { 0: "1", 1: "2" }],
  ["/(\\d+).(\\d+)", "/1x2", null],
  ["/:a(x|y|xy)z", "/xyz", { a: "xy" }],
  ["/a/:id(\\d+)?", "/a", {}],
  ["/a/:id(\\d+)?", "/a/7", { id: "7" }],
  ["/a/:id(\\d+)+", "/a/7/8", { id: "7/8" }],
  ["/:path(.*)", "/a/b", { path: "a/b" }],
  ["/:path(.+)/end", "/a/b/end", { path: "a/b" }],
  ["/(.*)/:id(\\d+)", "/a/b/7", { 0: "a/b", id: "7" }],
  ["/:hex([a-f0-9]{2,4})", "/abc1", { hex: "abc1" }],
  ["/:hex([a-f0-9]{2,4})", "/a", null],
  ["/:a([^b]+)", "/x/y", { a: "x/y" }],
  ["/:a([^.]+).:b", "/x/y.z", { a: "x/y", b: "z" }],
  ["/:a(\\bx\\b)", "/x", { a: "x" }],
  ["/:a(x\\b)-", "/x-", { a: "x" }],
  ["/:a(x\\B.)", "/x-", null],
  ["/:a(x\\B.)", "/xy", { a: "xy" }],
  ["/:a([a-z-]+)", "/a-b", { a: "a-b" }],
  ["/:a([\\w-]+)", "/a-b_c", { a: "a-b_c" }],
  ["/:a([-+]\\d)", "/-7", { a: "-7" }],
  ["/:a([^/]+)", "/a%20b", { a: "a b" }],
  ["/:a([^/]+)", "/a/b", null],
  ["/:a([^/-]+)-:b", "/x-y", { a: "x", b: "y" }],
  ["/:a([^b/]+|b/b)", "/b/b", { a: "b/b" }],
  ["/:a((?:x|y){2})", "/xy", { a: "xy" }],
  ["/:a((?:x|y){2})", "/xyx", null],
  ["/:a(x{2,3}?)x*", "/xxxx", { a: "xx", 0: "x" }],
  ["/:a(x{2,})", "/x", null],
  ["/:a(|x)", "/", { a: "" }],
  ["/:a(\\p{Lu}\\u{61}\\x62)", "/Aab", { a: "Aab" }],
  ["/:a(\\.\\w)", "/.x", { a: ".x" }],
  // Escapes.
  ["/a\\:b", "/a:b", {}],
  ["/a\\*", "/a*", {}],
  ["/a\\?", "/a%3F", {}],
  ["/a\\(b\\)", "/a(b)", {}],
  ["/a\\{b\\}", "/a%7Bb%7D", {}],
  ["/a\\.b", "/a.b", {}],
  ["/:a\\-b", "/x-b", { a: "x" }],
  // Percent-encoding: canonical paths are compared, params are decoded.
  ["/é", "/é", {}],
  ["/é", "/%C3%A9", {}],
  ["/é", "/%c3%a9", null],
  ["/%c3%a9", "/%c3%a9", {}],
  ["/%41", "/A", null],
  ["/a b", "/a%20b", {}],
  ["/日本/:x", "/日本/語", { x: "語" }],
  ["/:a", "/%E6%97%A5", { a: "日" }],
  ["/:a", "/a%2Fb", { a: "a/b" }],
  ["/:a", "/%2E%2E%2Fb", { a: "../b" }],
  ["/:a", "/a%20b+c", { a: "a b+c" }],
  ["/:a", "/%", { a: "%" }],
  ["/:a", "/%zz%41", { a: "%zzA" }],
  ["/:a", "/%C3%28", { a: "%C3(" }],
  ["/:a", "/%F0%9F%98%80%FF", { a: "😀%FF" }],
  ["/*", "/a%2Fb/c", { 0: "a/b/c" }],
  // Paths as the URL parser normalizes them.
  ["/a/b", "/x/../a/./b", {}],
  ["/a/b", "/x/%2e%2E/a/%2e/b", {}],
  ["/a/b", "\\a\\b", {}],
  ["/a/b", "/a\t/b\n", {}],
  ["/users/:id", "/x/../users/7", { id: "7" }],
  ["/x/*", "/x/../users/7", null],
  ["/x/*", "/x/%2e%2e/users/7", null],
  ["/x/*", "/x/%2E%2E/users/7", null],
  ["/users/:id", "/x/%2E%2E/users/7", { id: "7" }],
  ["/:a", "/..a", { a: "..a" }],
  ["/:a", "/...", { a: "..." }],
  ["/:a", "/.%2ea", { a: "..a" }],
  ["/a/:b", "/a/..", null],
  ["/a/:b", "/a/.", null],
  ["/a/*", "/a/b/..", { 0: "" }],
  ["/a/../b", "/b", {}],
  ["/a/./b", "/a/b", {}],
  // Dot segments in a pattern match no path.
  ["/{}*..", "/..", null],
  ["/{}*%2e/b", "/%2e/b", null],
  ["/{}*%2E/b", "/%2E/b", null],
  ["/{}*.:a", "/.b", { a: "b" }],
  ["/:a", "/x?y=/z", { a: "x" }],
  ["/:a", "/x#/z", { a: "x" }],
  ["/:a", "/?x", null],
  ["/:a", '/"<>^`|', { a: '"<>^`|' }],
];

for (const [pattern, path, params] of SYNTAX) {
  const does = params === null ? "does not match" : "matches";
  Deno.test(`"${pattern}" ${does} ${JSON.stringify(path)}`, () => {
    const url = `https://example.com${path}`;
    assertEquals(paramsOf(pattern, url), params);
    if (isQuirky(pattern)) return;
    const native = nativeParams(new RoutePattern(pattern), url);
    assertEquals(native && { ...native }, params);
  });
}

const CASES: readonly Row[] = [
  ["/Users/:Id", "/uSERS/Ada", { Id: "Ada" }],
  ["/Users/:Id", "/users/", null],
  ["/A:b-C", "/aXYZ-c", { b: "XYZ" }],
  ["/:a(x+)", "/XxX", { a: "XxX" }],
  ["/É", "/é", null],
  ["/%c3%a9", "/É", null],
  ["/%c3%a9", "/%C3%A9", {}],
  ["/Files/*", "/files/README", { 0: "README" }],
  ["/A{/:b}?/C", "/a/c", {}],
];

for (const [pattern, path, params] of CASES) {
  const does = params === null ? "does not match" : "matches";
  Deno.test(`"${pattern}" ${does} "${path}" with ignoreCase`, () => {
    const url = `https://example.com${path}`;
    assertEquals(paramsOf(pattern, url, { ignoreCase: true }), params);
    const ignoring = new RoutePattern(pattern, { ignoreCase: true });
    const native = nativeParams(ignoring, url);
    assertEquals(native && { ...native }, params);
  });
}

const INVALID = [
  "/:",
  "/a?b?",
  "/a+",
  "/**?*",
  "/{a",
  "/a}",
  "/{:a:b}",
  "/{a{b}}",
  "/(",
  "/()",
  "/(?=a)",
  "/((a))",
  "/(é)",
  "/:a/:a",
  "/\\",
  "/(a",
  "/([)",
  "/([a)",
  "/(a**)",
  "/(*a)",
  "/(a{2,1})",
  "/(a|*)",
  "/(?:a)",
  "/(\\k<a>)",
  "/([z-a])",
  "/([\\w-z])",
  "/(a{)",
];

for (const pattern of INVALID) {
  Deno.test(`new RoutePattern("${pattern}") throws like URLPattern`, () => {
    if (!isQuirky(pattern)) {
      assertThrows(() => new URLPattern({ pathname: pattern }), TypeError);
    }
    assertThrows(
      () => new RoutePattern(pattern),
      TypeError,
      `Cannot create the pattern "${pattern}": `,
    );
  });
}

Deno.test("__proto__ is not a valid name, and params have no prototype", () => {
  assertThrows(
    () => new RoutePattern("/:__proto__"),
    TypeError,
    "__proto__ can't be the name of a param",
  );
  for (const pattern of ["/a", "/:a", "/:a(x*|a)", "/*"]) {
    const matcher = new ArrayMatcher<null>();
    matcher.add("GET", new RoutePattern(pattern), null);
    const { params } = matcher.match("GET", "https://example.com/a")!;
    assertEquals(Object.getPrototypeOf(params), null);
  }
});

Deno.test("a wildcard is decoded, even if another route has the escapes as fixed text", () => {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", new RoutePattern("/é/x/z"), null);
  matcher.add("GET", new RoutePattern("/é/:b/c"), null);
  matcher.add("GET", new RoutePattern("/*"), null);
  const match = matcher.match("GET", "https://example.com/%C3%A9/x/y")!;
  assertEquals({ ...match.params }, { 0: "é/x/y" });
});

Deno.test("match() distinguishes an origin that resembles the last one", () => {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", new RoutePattern("/:a"), null);
  const last = "http://example.com";
  // Strings that sort before and after all with the last origin and a slash.
  for (
    const end of ["", "0", "1", "z", "-0", ".0a", ":0", ":1", ":80", "!", "~"]
  ) {
    matcher.match("GET", `${last}/x`);
    const match = matcher.match("GET", `${last}${end}/y`);
    assertEquals(match?.params.a, "y", end);
  }
  for (
    const other of [
      "http://example.co",
      "https://example.com",
      "http://a",
      "http://z",
    ]
  ) {
    matcher.match("GET", `${last}/x`);
    assertEquals(matcher.match("GET", `${other}/y`)?.params.a, "y", other);
  }
});

Deno.test("params of one match are not those of the next", () => {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", new RoutePattern("/:a"), null);
  const first = matcher.match("GET", "https://example.com/1")!;
  const second = matcher.match("GET", "https://example.com/2")!;
  assertEquals([first.params.a, second.params.a], ["1", "2"]);

  // This route has no params, and none can be added.
  matcher.add("GET", new RoutePattern("/a/b"), null);
  const { params } = matcher.match("GET", "https://example.com/a/b")!;
  Reflect.set(params, "a", "1");
  const next = matcher.match("GET", "https://example.com/a/b")!;
  assertEquals({ ...next.params }, {});
});

function paramsOf(
  pattern: string,
  url: string,
  options: { ignoreCase?: boolean } = {},
): Record<string, string> | null {
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", new RoutePattern(pattern, options), null);
  const match = matcher.match("GET", url);
  return match && { ...match.params };
}
