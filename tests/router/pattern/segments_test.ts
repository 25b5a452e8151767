/** Optional segments: each form of a pattern matches and ranks separately. */
import {
  ArrayMatcher,
  createRouter,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals } from "@std/assert";
import { expectedParams, nativeParams } from "../_oracle.ts";
import { paramsOf } from "../_params.ts";

const origin = "https://example.com";

const pages = route("{/:lang}?", { home: "/", about: "/about" });
const site = route({ ...pages, post: "/:category/:slug" });

const found: [path: string, answer: string][] = [
  ["/", "home {}"],
  ["/en", 'home {"lang":"en"}'],
  ["/about", "about {}"],
  ["/en/about", 'about {"lang":"en"}'],
  ["/en/other", 'post {"category":"en","slug":"other"}'],
];

for (const [path, answer] of found) {
  Deno.test(`routes with an optional language send "${path}" to ${answer}`, async () => {
    const router = createRouter();
    const tell = (name: string) => ({ params }: { params: unknown }) =>
      new Response(`${name} ${JSON.stringify(params)}`);
    router.map(site, {
      actions: { post: tell("post"), about: tell("about"), home: tell("home") },
    });
    assertEquals(await (await router.fetch(origin + path)).text(), answer);
  });
}

Deno.test("href() builds the home page with and without its optional language", () => {
  assertEquals(pages.home.href(), "/");
  assertEquals(pages.home.href({ lang: "en" }), "/en");
  assertEquals(pages.about.href(), "/about");
  assertEquals(pages.about.href({ lang: "en" }), "/en/about");
});

/** Patterns that URLPattern matches with an empty path, but not with "/". */
const absent = [
  "/:id?",
  "/:id(\\d+)?",
  "/:path*",
  "{/:lang}?",
  "{/a}*",
  "/:a?/:b?",
  "{/a}?{/b}?{/c}?{/d}?{/e}?{/f}?",
];

for (const source of absent) {
  Deno.test(`"${source}" matches "/" because no URL has an empty path`, () => {
    const pattern = new RoutePattern(source);
    assertEquals(paramsOf(pattern, `${origin}/`), {});
    assertEquals(nativeParams(pattern, `${origin}/`), null);
    assertEquals(pattern.urlPattern.test({ pathname: "" }), true);
    assertEquals(pattern.href(), "/");
  });
}

/** The params of patterns with two matching forms come from the more specific one. */
const ambiguous: [string, string, Record<string, string>][] = [
  ["{/:lang}?/docs{/:page}?", "/docs/docs", { page: "docs" }],
  ["{/:lang}?/docs{/:page}?", "/en/docs", { lang: "en" }],
  ["/:a?/:b?", "/x", { a: "x" }],
  ["/*{/:last}?", "/a/b/c", { 0: "a/b", last: "c" }],
];

for (const [source, path, params] of ambiguous) {
  Deno.test(`"${source}" reads "${path}" as ${JSON.stringify(params)}`, () => {
    const pattern = new RoutePattern(source);
    assertEquals(paramsOf(pattern, origin + path), params);
    assertEquals({ ...expectedParams(pattern, origin + path) }, params);
    assertEquals(pattern.href(params), path);
  });
}

Deno.test("a pattern that matches by its optional part only does not hide others", () => {
  const matcher = new ArrayMatcher<string>();
  for (const source of ["/:page?", "/", "/*", "{/:lang}?/about"]) {
    matcher.add("GET", new RoutePattern(source), source);
  }
  const find = (path: string) => matcher.match("GET", origin + path)?.data;
  assertEquals(find("/"), "/");
  assertEquals(find("/about"), "{/:lang}?/about");
  assertEquals(find("/x"), "/:page?");
  assertEquals(find("/x/y"), "/*");
});
