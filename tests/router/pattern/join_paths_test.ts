import {
  ArrayMatcher,
  createRouter,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals } from "@std/assert";

const origin = "https://example.com";

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
