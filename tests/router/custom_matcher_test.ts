/** Routers with a matcher of the application's own (spec 2.7). */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  ArrayMatcher,
  createRouter,
  type MatchData,
  type Matcher,
} from "@gatehouse/web/fetch-router";

const origin = "https://example.com";
const ok = () => new Response("ok");

/** Notes what it is asked. It inherits nothing from the library's matcher. */
class Noting implements Matcher<MatchData> {
  readonly asked: string[] = [];
  readonly #inner: Matcher<MatchData> = new ArrayMatcher<MatchData>();

  add: Matcher<MatchData>["add"] = (method, pattern, data) => {
    this.asked.push(`add ${method} ${pattern.source}`);
    this.#inner.add(method, pattern, data);
  };

  match: Matcher<MatchData>["match"] = (method, url) => {
    this.asked.push(`match ${method} ${url}`);
    return this.#inner.match(method, url);
  };

  allowedMethods: Matcher<MatchData>["allowedMethods"] = (url) => {
    this.asked.push(`allowed ${url}`);
    return this.#inner.allowedMethods(url);
  };
}

Deno.test("createRouter() takes a matcher, which finds every route (spec 2.7)", async () => {
  const matcher = new Noting();
  const router = createRouter({ matcher });
  router.get("/users/:id", ({ params }) => new Response(params.id));
  router.map("/about", ok);
  router.mount("/in", ok);
  const text = async (path: string) =>
    await (await router.fetch(origin + path)).text();
  assertEquals(await text("/users/7"), "7");
  assertEquals(await text("/none"), "Not Found");
  assertEquals(matcher.asked, [
    "add GET /users/:id",
    "add GET /about",
    "add ANY /in",
    "add ANY /in/*",
    `match GET ${origin}/users/7`,
    `match GET ${origin}/none`,
    `allowed ${origin}/none`,
  ]);
});

Deno.test("a matcher is handed canonical URLs alone, as its contract says", async () => {
  const matcher = new Noting();
  const router = createRouter({ matcher, trailingSlash: "redirect" });
  const raw = [
    "https://EXAMPLE.com:443/a/../b\\c/%2e/é?q='#top",
    "https:example.com/a b",
    " https://example.com/%2e%2E/x ",
    "https://example.com/a?q='",
    "https://example.com",
  ];
  for (const url of raw) {
    matcher.asked.length = 0;
    const request = Object.defineProperty(new Request(origin), "url", {
      value: url,
    });
    assertEquals((await router.fetch(request)).status, 404);
    assertEquals(matcher.asked[0], `match GET ${new URL(url).href}`);
    assert(matcher.asked.includes(`allowed ${new URL(url).href}`));
    for (const line of matcher.asked) {
      const text = line.split(" ").at(-1)!;
      assertEquals(text, new URL(text).href);
    }
  }
});

Deno.test("a matcher is not asked about a request without a valid URL", async () => {
  const matcher = new Noting();
  const request = Object.defineProperty(new Request(origin), "url", {
    value: "https://user:password@example.com/",
  });
  const { status } = await createRouter({ matcher }).fetch(request);
  assertEquals([status, matcher.asked], [400, []]);
});

Deno.test("what a matcher throws at registration is thrown to the caller, and lists no route", () => {
  const router = createRouter({ matcher: new Noting() });
  router.get("/a", ok);
  assertThrows(() => router.get("/a", ok), RangeError, "/a");
  assertEquals(router.routes.length, 1);
});

Deno.test("what a matcher throws at a request is answered by onError", async () => {
  const matcher = new Noting();
  matcher.match = () => {
    throw new Error("no index");
  };
  const router = createRouter({
    matcher,
    onError: (error) => new Response(String(error), { status: 500 }),
  });
  assertEquals(await (await router.fetch(origin)).text(), "Error: no index");
});
