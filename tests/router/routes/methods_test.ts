import {
  createContextKey,
  createRouter,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { Route, route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";

const echo = ({ method }: RequestContext) => new Response(method);

const custom = ["QUERY", "PROPFIND", "REPORT", "MKCOL"] as const;

for (const method of custom) {
  Deno.test(`router.route() registers ${method}`, async () => {
    const router = createRouter();
    router.route(method, "/notes", echo);
    router.map(new Route(method, "/class"), echo);
    router.map(route({ spelled: { method, pattern: "/spelled" } }), {
      actions: { spelled: echo },
    });
    for (const path of ["/notes", "/class", "/spelled"]) {
      const response = await router.fetch(origin + path, { method });
      assertEquals([response.status, await response.text()], [200, method]);
      const other = await router.fetch(origin + path);
      assertEquals([other.status, other.headers.get("Allow")], [405, method]);
      await other.body?.cancel();
    }
  });
}

Deno.test("router.route() registers one handler for several methods", async () => {
  const router = createRouter();
  router.route(["GET", "QUERY", "POST"], "/search", echo);
  router.route(["PUT", "PATCH"], "/notes/:id", { middleware: [] }, echo);
  const send = async (method: string, path: string) => {
    const response = await router.fetch(origin + path, { method });
    return [response.status, await response.text()];
  };
  for (const method of ["GET", "QUERY", "POST"]) {
    assertEquals(await send(method, "/search"), [200, method]);
  }
  assertEquals(await send("PATCH", "/notes/7"), [200, "PATCH"]);
  assertEquals((await send("DELETE", "/search"))[0], 405);
  assertEquals(
    router.routes.map(({ method, pattern }) => `${method} ${pattern}`),
    [
      "GET /search",
      "QUERY /search",
      "POST /search",
      "PUT /notes/:id",
      "PATCH /notes/:id",
    ],
  );
});

Deno.test("a route map has one route for several methods, with typed params and a link", async () => {
  const routes = route("api", {
    search: { method: ["GET", "POST"], pattern: "/search/:index" },
    about: { method: "about", pattern: "pattern" },
  });
  const router = createRouter();
  router.map(routes, {
    actions: {
      search: ({ params, method }) => new Response(`${method} ${params.index}`),
      about: { actions: { method: echo, pattern: echo } },
    },
  });
  const url = origin + routes.search.href({ index: "notes" });
  for (const method of ["GET", "POST"]) {
    const response = await router.fetch(url, { method });
    assertEquals(await response.text(), `${method} notes`);
  }
  assertEquals(routes.about.method.href(), "/api/about");
  assertEquals((await router.fetch(`${origin}/api/pattern`)).status, 200);
});

Deno.test("router.route() registers a route of several methods for one of them", async () => {
  const { search } = route({
    search: { method: ["GET", "POST"], pattern: "/search" },
  });
  const router = createRouter();
  router.get(search, echo);
  const post = await router.fetch(`${origin}/search`, { method: "POST" });
  assertEquals([post.status, post.headers.get("Allow")], [405, "GET, HEAD"]);
  assertThrows(
    () => router.put(search, echo),
    TypeError,
    'Cannot register "GET, POST /search": it does not answer PUT',
  );
});

const refused: unknown[] = [
  "",
  "get",
  "Any",
  "patch",
  "TRACE",
  "connect",
  "A B",
  "GET\n",
  "É",
  "(GET)",
  [],
  ["GET", "get"],
  ["GET", ""],
];

for (const method of refused) {
  Deno.test(`router.route(${JSON.stringify(method)}) throws a TypeError`, () => {
    const router = createRouter();
    assertThrows(
      () => router.route(method as "GET", "/x", echo),
      TypeError,
      "Cannot create a route",
    );
    assertThrows(() => new Route(method as "GET", "/x"), TypeError);
    assertEquals(router.routes, []);
  });
}

Deno.test("a method twice in one array is a RangeError", () => {
  const router = createRouter();
  assertThrows(() => router.route(["GET", "GET"], "/x", echo), RangeError);
});

Deno.test("calling a method of a context without this is a type error", () => {
  const Locale = createContextKey("en", { name: "Locale" });
  const router = createRouter();
  let thrown = 0;
  router.get("/", ({ get, set, has }) => {
    for (
      const call of [
        // @ts-expect-error: `this` is missing
        () => get(Locale),
        // @ts-expect-error: `this` is missing
        () => set(Locale, "de"),
        // @ts-expect-error: `this` is missing
        () => has(Locale),
      ]
    ) {
      assertThrows(call, TypeError);
      thrown++;
    }
    return new Response();
  });
  return router.fetch(origin).then(() => assertEquals(thrown, 3));
});
