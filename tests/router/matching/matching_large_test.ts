/** Large tables and patterns. */
import {
  ArrayMatcher,
  createRouter,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { Random } from "../_random.ts";

const origin = "https://example.com";

Deno.test("each of 3,000 routes matches in any order of registration", () => {
  const random = new Random(11);
  const words = Array.from({ length: 40 }, (_, i) => `word-${i}-é`);
  const routes = new Map<string, string>();
  while (routes.size < 3_000) {
    let [pattern, path] = ["", ""];
    for (const name of ["a", "b", "c", "d"]) {
      const word = random.pick(words);
      const isParam = random.chance(0.3);
      pattern += isParam ? `/:${name}` : `/${word}`;
      path += `/${isParam ? `v${random.below(1_000)}` : word}`;
    }
    // A path for each pattern, without the names of its params.
    routes.set(pattern, path);
  }
  const entries = [...routes].toSorted(() => random.chance(0.5) ? 1 : -1);
  const matcher = new ArrayMatcher<string>();
  for (const [pattern] of entries) {
    matcher.add("GET", new RoutePattern(pattern), pattern);
  }
  for (const [pattern, path] of entries) {
    const match = matcher.match("GET", origin + path);
    const values = path.split("/").filter((_, i) =>
      match!.data.split("/")[i]!.startsWith(":")
    );
    assertEquals(Object.values(match!.params), values, path);
    // Another route may match if it is more specific.
    const isFixed = (text: string) => text.includes("/:") ? 1 : 0;
    assertEquals(isFixed(match!.data) <= isFixed(pattern), true, path);
    assertEquals(matcher.match("GET", `${origin}${path}/none`), null);
  }
});

Deno.test("backtracking removes the params of the abandoned branch", () => {
  const matcher = new ArrayMatcher<string>();
  const patterns = ["/a/:x/c", "/:y/:z/d", "/a/:x/:w/e", "/:p/:q/:r/:s"];
  for (const source of patterns) {
    matcher.add("GET", new RoutePattern(source), source);
  }
  const find = (path: string) => {
    const match = matcher.match("GET", origin + path)!;
    return [match.data, { ...match.params }];
  };
  assertEquals(find("/a/1/c"), ["/a/:x/c", { x: "1" }]);
  assertEquals(find("/a/1/d"), ["/:y/:z/d", { y: "a", z: "1" }]);
  assertEquals(find("/a/1/2/e"), ["/a/:x/:w/e", { x: "1", w: "2" }]);
  assertEquals(find("/a/1/2/f"), ["/:p/:q/:r/:s", {
    p: "a",
    q: "1",
    r: "2",
    s: "f",
  }]);
});

Deno.test("a path with six optional parts matches in each of its 64 forms", () => {
  for (const modifier of ["?", "*"]) {
    const letters = ["a", "b", "c", "d", "e", "f"];
    const source = letters.map((text) => `{/${text}}${modifier}`).join("");
    const params = letters.map((name) => `/:${name}?`).join("");
    for (const each of [`/x${source}`, `${source}/x`, `/x${params}`]) {
      const pattern = new RoutePattern(each);
      const matcher = new ArrayMatcher<string>();
      matcher.add("GET", pattern, "optional");
      // The routes below tie with no form of it.
      matcher.add("GET", new RoutePattern("/*"), "rest");
      for (let form = 0; form < 64; form++) {
        const parts = letters.filter((_, i) => form >> i & 1);
        const path = parts.map((text) => `/${text}`).join("");
        const url = each.startsWith("/x")
          ? `${origin}/x${path}`
          : `${origin}${path}/x`;
        const match = matcher.match("GET", url)!;
        const native = nativeParams(pattern, url)!;
        assertEquals(match.data, "optional", `${each} ${url}`);
        assertEquals({ ...match.params }, { ...native }, `${each} ${url}`);
      }
    }
  }
});

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

Deno.test("prefixed() keeps ignoreCase and the other URL components", () => {
  const pattern = new RoutePattern({ pathname: "/b", search: "q=:q" }, {
    ignoreCase: true,
  }).prefixed("/A");
  const matcher = new ArrayMatcher<null>();
  matcher.add("GET", pattern, null);
  const params = (path: string) =>
    matcher.match("GET", origin + path)?.params.q;
  assertEquals(params("/a/B?Q=1"), "1");
  assertEquals(params("/A/b"), undefined);
  assertEquals(pattern.href({ q: "1" }), "/A/b?q=1");
  const other = new RoutePattern("https://b.example/x");
  assertEquals(
    other.prefixed("http://a.example/p").source,
    "https://b.example/p/x",
  );
});

const prefixes: [prefix: string, path: string, source: string][] = [
  ["a", "b", "/a/b"],
  ["/a/", "/b/", "/a/b/"],
  ["/a//", "b", "/a/b"],
  ["/", "/b", "/b"],
  ["a", "/", "/a"],
  ["/", "/", "/"],
  ["/:lang?", "/b", "/:lang?/b"],
  ["{/:lang}?", "b", "{/:lang}?/b"],
  ["a", "{/:id}?", "/a{/:id}?"],
  ["a", "*", "/a/*"],
  ["https://:t.example.com/a", "b", "https://:t.example.com/a/b"],
  ["https://example.com", "/b", "https://example.com/b"],
];

for (const [prefix, path, source] of prefixes) {
  Deno.test(`route("${prefix}", "${path}") is "${source}", and its link matches`, async () => {
    const routes = route(prefix, { page: path });
    assertEquals(routes.page.pattern.source, source);
    const router = createRouter();
    router.map(routes, {
      actions: { page: ({ params }) => Response.json(params) },
    });
    const params = Object.fromEntries(
      routes.page.pattern.paramNames.map((name) => [name, "x"]),
    );
    const url = new URL(routes.page.pattern.href(params), origin);
    assertEquals(await (await router.fetch(url)).json(), params);
  });
}
