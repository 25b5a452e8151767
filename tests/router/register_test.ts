import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  ArrayMatcher,
  type ContextEntry,
  createContextKey,
  createRouter,
  type Middleware,
  RoutePattern,
  type RouteTarget,
} from "@gatehouse/web/fetch-router";
import { get, Route, route } from "@gatehouse/web/fetch-router/routes";
import { openapi } from "@gatehouse/web/openapi";

const origin = "https://example.com";

const ok = () => new Response("ok");

const targets: [string, RouteTarget, string][] = [
  ["text", "/a/:b", "/a/:b"],
  ["a string without a slash", "a/:b", "/a/:b"],
  ["a URLPattern", new URLPattern({ pathname: "/a/:b" }), "/a/:b"],
  ["a URLPatternInit", { pathname: "/a/:b" }, "/a/:b"],
  ["a route", get("/a/:b"), "/a/:b"],
  ["a host", "https://:x.com/a/:b", "https://:x.com/a/:b"],
  [
    "a host as URLPatternInit",
    { hostname: ":x.com", pathname: "/a/:b" },
    "*://:x.com/a/:b",
  ],
];

for (const [name, target, source] of targets) {
  Deno.test(`router.get(), route() and map() accept ${name} as a target`, async () => {
    const byGet = createRouter();
    byGet.get(target, ({ params }) => new Response(params.b));
    const byRoute = createRouter();
    byRoute.route("GET", target, ({ params }) => new Response(params.b));
    const byMap = createRouter();
    byMap.map(target, ({ params }) => new Response(params.b));
    const behind = createRouter();
    behind.get(
      target,
      { middleware: [] },
      ({ params }) => new Response(params.b),
    );
    for (const router of [byGet, byRoute, byMap, behind]) {
      assertEquals(router.routes, [{ method: "GET", pattern: source }]);
      const response = await router.fetch(`${origin}/a/7`);
      assertEquals(await response.text(), "7");
    }
  });
}

Deno.test("router.get(), route() and map() accept a single middleware before the handler", async () => {
  const User = createContextKey<string | null>(null);
  const guard: Middleware<readonly [ContextEntry<typeof User, string>]> = (
    context,
    next,
  ) => {
    if (context.headers.get("Authorization") === null) {
      return new Response(null, { status: 401 });
    }
    context.set(User, "Ada");
    return next();
  };
  const router = createRouter();
  router.get("/get/:x", guard, (context) => {
    return new Response(context.get(User).concat(context.params.x));
  });
  router.route(["PUT", "GET"], "/route/:x", guard, (context) => {
    return new Response(context.get(User).concat(context.params.x));
  });
  router.map("/map/:x", guard, (context) => {
    return new Response(context.get(User).concat(context.params.x));
  });
  for (const path of ["get", "route", "map"]) {
    const url = `${origin}/${path}/7`;
    assertEquals((await router.fetch(url)).status, 401);
    const headers = { Authorization: "x" };
    const response = await router.fetch(url, { headers });
    assertEquals(await response.text(), "Ada7");
  }
});

Deno.test("router.get() registers an ANY route for GET, and route() registers a GET route for ANY", async () => {
  const router = createRouter();
  router.get(new Route("ANY", "/narrow"), ok);
  router.route("ANY", get("/wide"), ok);
  router.map({ any: new Route("ANY", "/any") }, { actions: { any: ok } });
  assertEquals(router.routes, [
    { method: "GET", pattern: "/narrow" },
    { method: "ANY", pattern: "/wide" },
    { method: "ANY", pattern: "/any" },
  ]);
  const status = async (path: string) =>
    (await router.fetch(origin + path, { method: "POST" })).status;
  assertEquals(await status("/narrow"), 405);
  assertEquals(await status("/wide"), 200);
  assertEquals(await status("/any"), 200);
});

const inherited = ["constructor", "toString", "hasOwnProperty", "valueOf"];

for (const name of inherited) {
  Deno.test(`router.map() requires an action "${name}" only if the map has this route`, () => {
    const map = createRouter().map as (
      routes: unknown,
      controller: unknown,
    ) => void;
    assertThrows(
      () => map(route({ [name]: "/a" }), { actions: {} }),
      TypeError,
      `Cannot register "${name}": it has no handler`,
    );
    assertThrows(
      () => map(route({ a: "/a" }), { actions: { a: ok, [name]: ok } }),
      TypeError,
      `Cannot register "${name}": it has no route`,
    );
    map(route({ [name]: "/a" }), { actions: { [name]: ok } });
  });
}

Deno.test("router.map() names nested routes by their path in errors", () => {
  const map = createRouter().map as (
    routes: unknown,
    controller: unknown,
  ) => void;
  const routes = route({ a: { b: { c: "/c" } } });
  const controller = (actions: unknown) => ({
    actions: { a: { actions: { b: { actions } } } },
  });
  const rows: [unknown, string][] = [
    [{}, '"a.b.c": it has no handler'],
    [{ c: ok, d: ok }, '"a.b.d": it has no route'],
    [undefined, '"a.b": it has no actions'],
  ];
  for (const [actions, message] of rows) {
    assertThrows(
      () => map(routes, controller(actions)),
      TypeError,
      `Cannot register ${message}`,
    );
  }
});

Deno.test("router.map() accepts an empty map and undefined middleware", () => {
  const router = createRouter();
  router.map({}, { actions: {} });
  router.map(route({ a: "/a" }), { middleware: undefined, actions: { a: ok } });
  assertEquals(router.routes.length, 1);
});

Deno.test("router.map() accepts any object with a method and a pattern as a route", async () => {
  const router = createRouter();
  const pattern = new RoutePattern("/a/:id");
  router.map({ method: "POST", pattern }, ({ params }) => {
    return new Response(params.id);
  });
  const response = await router.fetch(
    new Request("https://example.com/a/7", { method: "POST" }),
  );
  assertEquals(await response.text(), "7");
});

for (
  const [first, second] of [
    ["/A:x?", "/a:y?"],
    ["/A{/b}?", "/a{/B}?"],
    ["/*/A", "/*/a"],
    ["/A-:x", "/a-:y"],
  ] as const
) {
  Deno.test(`ArrayMatcher.add() rejects ${second} after ${first} with ignoreCase`, () => {
    const matcher = new ArrayMatcher<string>();
    const options = { ignoreCase: true };
    matcher.add("GET", new RoutePattern(first, options), "first");
    assertThrows(
      () => matcher.add("GET", new RoutePattern(second, options), "second"),
      RangeError,
      "matches the same URLs",
    );
  });
}

for (
  const [first, second] of [
    ["/{*x}", "/{*y}"],
    [{ pathname: "a" }, { pathname: "b" }],
  ] as const
) {
  const shown = JSON.stringify([first, second]);
  Deno.test(`ArrayMatcher.add() accepts two patterns for different URLs: ${shown}`, () => {
    const matcher = new ArrayMatcher<string>();
    matcher.add("GET", new RoutePattern(first), "first");
    matcher.add("GET", new RoutePattern(second), "second");
  });
}

Deno.test("router.get() runs an array of guards before the handler, in order", async () => {
  const seen: string[] = [];
  const guard = (name: string): Middleware => () => void seen.push(name);
  const router = createRouter();
  router.get("/a", [guard("first"), guard("second")], () => {
    seen.push("handler");
    return new Response();
  });
  await router.fetch("https://example.com/a");
  assertEquals(seen, ["first", "second", "handler"]);
});

Deno.test("router ignores middleware that is false or undefined, in every array", async () => {
  const seen: string[] = [];
  const note = (name: string): Middleware => () => void seen.push(name);
  const isOn: boolean = seen.length > 0;
  const router = createRouter({
    middleware: [isOn && note("off"), note("router"), undefined],
  });
  const handler = () => new Response();
  router.get("/array", [isOn && note("off"), note("array")], handler);
  router.get("/action", {
    middleware: [isOn ? note("off") : undefined, note("action")],
    handler,
  });
  router.map(route({ home: "/map" }), {
    middleware: [false, note("map")],
    actions: { home: { middleware: [undefined, note("route")], handler } },
  });
  for (const path of ["/array", "/action", "/map"]) {
    await router.fetch(`https://example.com${path}`);
  }
  assertEquals(
    seen,
    ["router", "array", "router", "action", "router", "map", "route"],
  );
  // Documents read the middleware too.
  assert(openapi(router, { info: { title: "x", version: "1" } }));
});
