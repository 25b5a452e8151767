/** Routers with a custom matcher (spec 2.7). */
import {
  ArrayMatcher,
  createRouter,
  type MatchData,
  type Matcher,
} from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");

/** A matcher that records its calls. It does not extend the library's matcher. */
class RecordingMatcher implements Matcher<MatchData> {
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

Deno.test("createRouter() uses a custom matcher for every route (spec 2.7)", async () => {
  const matcher = new RecordingMatcher();
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

Deno.test("createRouter() passes only canonical URLs to a matcher", async () => {
  const matcher = new RecordingMatcher();
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

Deno.test("createRouter() does not call a matcher for an invalid URL", async () => {
  const matcher = new RecordingMatcher();
  const request = Object.defineProperty(new Request(origin), "url", {
    value: "https://user:password@example.com/",
  });
  const { status } = await createRouter({ matcher }).fetch(request);
  assertEquals([status, matcher.asked], [400, []]);
});

Deno.test("router.get() throws an error of the matcher and does not list the route", () => {
  const router = createRouter({ matcher: new RecordingMatcher() });
  router.get("/a", ok);
  assertThrows(() => router.get("/a", ok), RangeError, "/a");
  assertEquals(router.routes.length, 1);
});

Deno.test("onError() handles an error that a matcher throws for a request", async () => {
  const matcher = new RecordingMatcher();
  matcher.match = () => {
    throw new Error("no index");
  };
  const router = createRouter({
    matcher,
    onError: (error) => new Response(String(error), { status: 500 }),
  });
  assertEquals(await (await router.fetch(origin)).text(), "Error: no index");
});
