/** Patterns for URL parts other than the path, and unusual URLs. */
import {
  ArrayMatcher,
  createRouter,
  type PatternInput,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { assertEquals, assertExists, assertThrows } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { paramsOf } from "../_params.ts";

type Row = readonly [
  input: PatternInput,
  url: string,
  params: Readonly<Record<string, string>> | null,
];

const ROWS: readonly Row[] = [
  // Hostnames.
  ["https://example.com/a", "https://example.com/a", {}],
  ["https://example.com/a", "http://example.com/a", null],
  ["https://example.com/a", "https://example.com:8000/a", null],
  ["https://example.com/a", "https://EXAMPLE.com:443/a", {}],
  ["https://EXAMPLE.com/a", "https://example.com/a", {}],
  ["https://:t.example.com/:a", "https://x.example.com/y", { t: "x", a: "y" }],
  ["https://:t.example.com/:a", "https://x.y.example.com/y", null],
  ["https://:t.example.com/:a", "https://example.com/y", null],
  ["https://*.example.com/", "https://x.y.example.com/", { 0: "x.y" }],
  ["https://{:t.}?example.com/", "https://example.com/", {}],
  ["https://{:t.}?example.com/", "https://x.example.com/", { t: "x" }],
  ["https://:a-:b.ex.com/", "https://x-y-z.ex.com/", { a: "x", b: "y-z" }],
  ["https://münchen.example/", "https://xn--mnchen-3ya.example/", {}],
  ["https://münchen.example/", "https://münchen.example/", {}],
  ["http://[\\:\\:1]/", "http://[::1]/", {}],
  ["http://127.0.0.1/", "http://127.1/", {}],
  [{ hostname: "example.com" }, "https://example.com/any/path", {
    0: "/any/path",
  }],
  [{ hostname: ":host", pathname: "/a" }, "https://example/a", {
    host: "example",
  }],
  // Schemes and ports.
  ["http{s}?://example.com/", "https://example.com/", {}],
  ["http{s}?://example.com/", "http://example.com/", {}],
  [{ protocol: ":s", pathname: "/a" }, "ws://example.com/a", { s: "ws" }],
  ["http://localhost:8000/", "http://localhost:8000/", {}],
  ["http://localhost:8000/", "http://localhost:8001/", null],
  ["http://localhost:*/", "http://localhost:8001/", {}],
  [{ port: ":p", pathname: "/" }, "http://localhost:81/", { p: "81" }],
  [{ port: ":p", pathname: "/" }, "http://localhost:80/", null],
  [{ port: "", pathname: "/" }, "https://localhost:443/", {}],
  // Search and hash.
  [{ pathname: "/a", search: "q=:q" }, "https://e.com/a?q=1%2F2", { q: "1/2" }],
  [{ pathname: "/a", search: "q=:q" }, "https://e.com/a", null],
  [{ pathname: "/a", search: "" }, "https://e.com/a?", {}],
  // A slash belongs to the group after it only in a path.
  [{ pathname: "/a", search: "x/:y?" }, "https://e.com/a?x/1", { y: "1" }],
  [{ pathname: "/a", search: "x/:y?" }, "https://e.com/a?x/", {}],
  [{ pathname: "/a", search: "x/:y?" }, "https://e.com/a?x", null],
  // The encoding differs from that of a path.
  [{ pathname: "/a", search: "\\{|^" }, "https://e.com/a?{|^", {}],
  [{ pathname: "/a", search: "" }, "https://e.com/a?x", null],
  [{ pathname: "/a", search: "*" }, "https://e.com/a?x", {}],
  [{ pathname: "/:a", search: ":k=*" }, "https://e.com/1?x=y", {
    a: "1",
    k: "x",
    0: "y",
  }],
  [{ pathname: "/a", hash: "top" }, "https://e.com/a#top", {}],
  [{ pathname: "/a", hash: "top" }, "https://e.com/a", null],
  // URLPattern returns this path as "/a/.{x:b}", which differs.
  [{ pathname: "/a/{}+\\.{x:b}", port: "" }, "https://e.com/a/.xy", {
    b: "y",
  }],
  // Credentials and regexp groups.
  [{ pathname: "/a", username: "ada" }, "https://ada:x@e.com/a", {}],
  [{ pathname: "/a", username: "ada" }, "https://e.com/a", null],
  [{ hostname: "(a|b).ex.com", pathname: "/:x" }, "https://b.ex.com/1", {
    x: "1",
    0: "b",
  }],
  [{ pathname: "/:x", search: "id=(\\d+)" }, "https://e.com/1?id=7", {
    x: "1",
    0: "7",
  }],
  // Unnamed groups of the path take precedence over those of other parts.
  ["https://*.ex.com/*", "https://a.ex.com/b", { 0: "b" }],
];

for (const [input, url, params] of ROWS) {
  const shown = typeof input === "string" ? input : JSON.stringify(input);
  const does = params === null ? "does not match" : "matches";
  Deno.test(`${shown} ${does} "${url}"`, () => {
    const pattern = new RoutePattern(input);
    assertEquals(paramsOf(pattern, url), params);
    const native = nativeParams(pattern, url);
    assertEquals(native && { ...native }, params);
  });
}

Deno.test("a URLPattern is accepted as a pattern, with an explicit ignoreCase", () => {
  const native = new URLPattern({ pathname: "/A/:b" }, { ignoreCase: true });
  const pattern = new RoutePattern(native, { ignoreCase: true });
  assertEquals(pattern.urlPattern, native);
  assertEquals(paramsOf(pattern, "https://example.com/a/X"), { b: "X" });
});

const SHAPES = [
  ["HTTPS://EXAMPLE.COM/users/7", { id: "7" }],
  ["https:example.com/users/7", { id: "7" }],
  ["https:\\\\example.com\\users\\7", { id: "7" }],
  ["https://user:pass@example.com/users/7", { id: "7" }],
  [" https://example.com/users/7 ", { id: "7" }],
  ["https://ex%61mple.com/users/7", { id: "7" }],
  ["https://example.com:0443/users/7", { id: "7" }],
  ["https://example.com./users/7", { id: "7" }],
  ["https://example.com/users/7?a/b#c/d", { id: "7" }],
  ["https://example.com/users/./7", { id: "7" }],
  ["https://example.com/users/%2e/7", { id: "7" }],
  ["https://example.com/users//7", null],
  ["file:///users/7", { id: "7" }],
  ["ws://example.com/users/7", { id: "7" }],
  ["foo://example.com/users/7", { id: "7" }],
  ["foo:/users/7", { id: "7" }],
  ["foo:users/7", null],
  ["data:,x", null],
  ["blob:https://example.com/users/7", null],
  ["/users/7", null],
  ["users/7", null],
  ["//example.com/users/7", null],
  ["https://", null],
  ["https://ex ample.com/users/7", null],
  ["https://example.com:99999/users/7", null],
  ["", null],
] as const;

for (const [url, params] of SHAPES) {
  const does = params === null ? "finds nothing for" : "takes";
  Deno.test(`ArrayMatcher ${does} the URL ${JSON.stringify(url)}`, () => {
    const pattern = new RoutePattern("/users/:id");
    assertEquals(paramsOf(pattern, url), params);
    const native = nativeParams(pattern, url);
    assertEquals(native && { ...native }, params);
  });
}

Deno.test("ArrayMatcher distinguishes origins with the same prefix", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/a"), "path");
  matcher.add("GET", new RoutePattern("https://example.com/a"), "host");
  const find = (url: string) => matcher.match("GET", url)?.data;
  for (let i = 0; i < 2; i++) {
    assertEquals(find("https://example.com/a"), "host");
    assertEquals(find("https://example.com.evil/a"), "path");
    assertEquals(find("https://example.com:80/a"), "path");
    assertEquals(find("https://example.com@evil/a"), "path");
  }
});

Deno.test("a dot segment is normalized, even if routes begin with dots", () => {
  for (const dots of ["..", "%2e", "%2E%2e"]) {
    const matcher = new ArrayMatcher<string>();
    for (const path of [`/${dots}a`, `/${dots}b`, "/x"]) {
      matcher.add("GET", new RoutePattern(path), path);
    }
    const find = (path: string) =>
      matcher.match("GET", `https://example.com${path}`)?.data;
    assertEquals(find(`/${dots}/x`), "/x");
    assertEquals(find(`/z/${dots.length > 3 ? dots : ".."}/x`), "/x");
    assertEquals(find(`/z/${dots.length > 3 ? dots : ".."}/none`), undefined);
  }
});

Deno.test("long paths match to the end with any pattern", () => {
  const a = "a".repeat(100_000);
  const dashes = "-".repeat(100_000);
  const deep = "/a".repeat(50_000);
  const rows: [string, string, Record<string, string> | null][] = [
    ["/:x", `/${a}`, { x: a }],
    ["/:x/b", `/${a}`, null],
    ["/:x/b", `/${a}%41`, null],
    ["/*", `/${a}%41`, { 0: `${a}A` }],
    ["/x/*", `/${a}.${a}%41`, null],
    ["/x/*", `/${"/.a".repeat(30_000)}%41`, null],
    ["/:a-:b-:c-:d.json", `/${dashes}`, null],
    ["/:a-:b-:c-:d", `/${dashes}`, {
      a: "-",
      b: "-",
      c: "-",
      d: dashes.slice(6),
    }],
    ["/*", deep, { 0: deep.slice(1) }],
    ["/*/a/*/b", deep, null],
    ["/*/a/*/a", deep, { 0: deep.slice(1, -6), 1: "a" }],
    ["/:p+", deep, { p: deep.slice(1) }],
    ["/:p*/b", deep, null],
    ["/:p+/:q+/b", deep, null],
    ["/{a}*{a}*b", `/${a}`, null],
    ["/x{:a-}?{:b-}?{:c-}?y", `/x${dashes}`, null],
  ];
  for (const [text, path, params] of rows) {
    const pattern = new RoutePattern(text);
    assertEquals(paramsOf(pattern, `https://example.com${path}`), params, text);
  }
});

Deno.test("many optional parts take linear time", () => {
  const path = "/x".repeat(1_000);
  for (const part of ["{/x}?", "{/:n}?", "{/x}*"]) {
    let names = 0;
    const parts = part.repeat(200).replaceAll(":n", () => `:n${names++}`);
    const pattern = new RoutePattern(`${parts}/z`);
    assertEquals(paramsOf(pattern, `https://example.com${path}`), null);
  }
});

// URLPattern would take minutes or more for the second URL of each.
const endless: [PatternInput, near: string, far: string][] = [
  ["/~*b-:b*(\\d+)", "/~b-b7", `/~b-${"b".repeat(90)}x`],
  ["/{:a-}*:id(\\d+)", "/a-b-7", `/${"-a".repeat(90)}x`],
  ["/{:a-}+:id([^x]+)", "/a-b-7", `/${"-a".repeat(90)}x`],
  ["/:id(\\d+)/*+/end", "/7/a/b/end", `/7${"/a".repeat(90)}`],
  ["/:a-:b-:c-:d-:e-:f-:g(\\d+)", "/a-b-c-d-e-f-7", `/${"-".repeat(900)}`],
  ["/*a*a*a*a*a*a:g(\\d+)", "/aaaaaa7", `/${"a".repeat(900)}`],
  [
    { pathname: "/:a(\\d+)", search: "*&*&*&*&*&*&*=" },
    "/7?&&&&&&=",
    `/7?${"&".repeat(900)}`,
  ],
  [
    { pathname: "/x", hostname: "{:a-}*:b(\\d+).com" },
    "//a-7.com/x",
    `//${"a-".repeat(30)}x.com/x`,
  ],
];

for (const [input, near, far] of endless) {
  const pattern = new RoutePattern(input);
  Deno.test(`"${pattern}" matches, and rejects a long string at once`, () => {
    const hrefOf = (path: string) => new URL(path, "https://example.com").href;
    assertExists(paramsOf(pattern, hrefOf(near)));
    assertEquals(paramsOf(pattern, hrefOf(far)), null);
  });
}

Deno.test("a repeat of any length matches next to a regexp group", () => {
  const pattern = new RoutePattern("/:a(\\d+)/{:b-}+/:c");
  const find = (path: string) =>
    paramsOf(pattern, `https://example.com${path}`)?.c;
  assertEquals(find(`/7/b-/${"c".repeat(20)}`), "c".repeat(20));
  assertEquals(find(`/7/${"b".repeat(18)}-/c`), "c");
  const slashes = new RoutePattern("/:a(\\d+)-{/:b([a-z]+)}+");
  const long = "/bcd".repeat(50);
  assertEquals(
    paramsOf(slashes, `https://example.com/7-${long}`)?.b,
    long.slice(1),
  );
  // A repeated param without other text matches any number of characters.
  const runs = new RoutePattern("/a:b*:c(\\d+)-:d+");
  const run = "b".repeat(500);
  assertEquals(
    paramsOf(runs, `https://example.com/a${run}12-d`),
    { b: `${run}1`, c: "2", d: "d" },
  );
  assertEquals(paramsOf(runs, `https://example.com/a${run}-d`), null);
});

Deno.test("an invalid URL pattern throws a TypeError that names it", () => {
  assertThrows(
    () => new RoutePattern("https://exa mple.com/"),
    TypeError,
    'Cannot create the pattern "https://exa mple.com/"',
  );
});

Deno.test("ignoreCase folds only ASCII letters, also in raw URLs", () => {
  const matcher = new ArrayMatcher<string>();
  matcher.add("GET", new RoutePattern("/keys", { ignoreCase: true }), "keys");
  matcher.add("GET", new RoutePattern("/KEYS/:id"), "exact");
  matcher.add("GET", new RoutePattern("/:any"), "any");
  const alone = new ArrayMatcher<string>();
  alone.add("GET", new RoutePattern("/keys", { ignoreCase: true }), "keys");
  const found = (path: string, by = matcher) =>
    by.match("GET", `https://example.com${path}`)?.data;
  assertEquals(found("/\u212aeys", alone), undefined);
  assertEquals(found("/KEYS?\u212a", alone), "keys");
  assertEquals(found("/KEYS"), "keys");
  assertEquals(found("/\u212aeys"), "any");
  assertEquals(found("/%E2%84%AAeys"), "any");
  // In other parts than the path they change nothing.
  assertEquals(found("/KEYS?\u212a"), "keys");
  assertEquals(found("/KEYS/\u212a"), "exact");
});

Deno.test("A path that is too long for a guarded regexp route does not reach the route behind it", async () => {
  const pattern = `/:file(${"(?:a|b)?".repeat(40)}[a-z]+)`;
  const reached: string[] = [];
  for (const [first, second] of [[pattern, "/*"], ["/*", pattern]] as const) {
    const router = createRouter();
    for (const path of [first, second]) {
      router.get(path, () => {
        reached.push(path);
        return new Response(path, { status: path === pattern ? 403 : 200 });
      });
    }
    const statusOf = async (length: number) =>
      (await router.fetch(`https://example.com/${"z".repeat(length)}`)).status;
    assertEquals(await statusOf(1_000), 403);
    assertEquals(await statusOf(100_000), 414);
  }
  assertEquals(reached, [pattern, pattern]);
});
