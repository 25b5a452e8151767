import { assertEquals, assertThrows } from "@std/assert";
import { createRouter, RoutePattern } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";

const ok = () => new Response("ok");

const next = () => {};

Deno.test("router rejects the same method with an equivalent pattern across registrations, hosts and controllers", () => {
  const router = createRouter();
  router.get("https://:tenant.example.com/:page", ok);
  router.map(route("blog", { show: "/:slug" }), { actions: { show: ok } });
  router.mount("/in", ok);
  const rows: [() => void, string, string][] = [
    [
      () => router.get("https://:t.example.com/:p", ok),
      "GET https://:t.example.com/:p",
      "GET https://:tenant.example.com/:page",
    ],
    [() => router.get("/blog/:id", ok), "GET /blog/:id", "GET /blog/:slug"],
    [() => router.route("ANY", "/in/*", ok), "ANY /in/*", "ANY /in/*"],
    [() => router.map("blog/{:x}", ok), "GET /blog/{:x}", "GET /blog/:slug"],
  ];
  for (const [register, added, known] of rows) {
    const { message } = assertThrows(register, RangeError);
    assertEquals(
      message,
      `Cannot add the route "${added}": "${known}" matches the same URLs`,
    );
  }
  assertEquals(router.routes.length, 4);
});

// Mistakes that types detect, in code without types.
const mistakes: [string, (router: Untyped) => unknown, string][] = [
  [
    "a method in lower case",
    (router) => router.route("get", "/a", ok),
    'Cannot create a route for "get"',
  ],
  [
    "an invalid method",
    (router) => router.route("LINK ME", "/a", ok),
    'Cannot create a route for "LINK ME"',
  ],
  [
    "an object with an invalid method",
    (router) =>
      router.map({ method: "get", pattern: new RoutePattern("/a") }, ok),
    'Cannot create a route for "get"',
  ],
  [
    "no target",
    (router) => router.get(null, ok),
    'Cannot create the pattern "null": it names no component of a URL',
  ],
  [
    "a map of strings in a map",
    (router) =>
      router.map({ a: { b: "/x" } }, {
        actions: { a: { actions: { b: ok } } },
      }),
    'Cannot register "a.b"',
  ],
  [
    "a handler that is a string",
    (router) => router.get("/a", { handler: "x" }),
    'Cannot register "GET /a": it has no handler',
  ],
  [
    "actions that are null",
    (router) => router.map(route({ a: "/a" }), { actions: null }),
    "Cannot register the route map: it has no actions",
  ],
  [
    "actions that are a string",
    (router) => router.map({}, { actions: "" }),
    "Cannot register the route map: it has no actions",
  ],
  [
    "a handler after two middleware without an array",
    (router) => router.get("/a", next, next, ok),
    'Cannot register "GET /a": several middleware need an array',
  ],
  [
    "a handler after an action",
    (router) => router.get("/a", { handler: ok }, ok),
    'Cannot register "GET /a": it has two handlers',
  ],
  [
    "a string that contains a mode",
    () => createRouter({ trailingSlash: "ignored" as never }),
    `Cannot create router: trailingSlash can't be "ignored"`,
  ],
  [
    "a proxy that is not a string",
    () => createRouter({ trustedProxies: ["10.0.0.1", 1] as never }),
    `Cannot create router: trustedProxies can't be "10.0.0.1,1"`,
  ],
  [
    "an array of guards without a handler",
    (router) => router.get("/a", [() => {}]),
    'Cannot make "GET /a": it takes no "0"',
  ],
  [
    "a string in an array of guards",
    (router) => router.get("/a", ["guard"], ok),
    'Cannot make "GET /a": its middleware is not a list of functions',
  ],
  [
    "null in an array of middleware",
    () => createRouter({ middleware: [null] as never }),
    "Cannot make the router: its middleware is not a list of functions",
  ],
  [
    "a guard under a wrong name",
    (router) => router.get("/a", { middlewares: [] } as never, ok),
    'Cannot make "GET /a": it takes no "middlewares"',
  ],
  [
    "a guard under a wrong name next to its handler",
    (router) => router.get("/a", { handler: ok, before: [] } as never),
    'Cannot make "GET /a": it takes no "before"',
  ],
  [
    "a guard under a wrong name in a controller",
    (router) =>
      router.map(route({ a: "/a" }), {
        actions: { a: { handler: ok, use: [] } },
      } as never),
    'Cannot make "a": it takes no "use"',
  ],
  [
    "a guard under a wrong name for a whole controller",
    (router) =>
      router.map(route({ a: "/a" }), { actions: { a: ok }, use: [] } as never),
    'Cannot make the route map: it takes no "use"',
  ],
  [
    "a guard under a wrong name for the whole router",
    () => createRouter({ middlewares: [] } as never),
    'Cannot make the router: it takes no "middlewares"',
  ],
  [
    "middleware that is not an array",
    () => createRouter({ middleware: (() => {}) as never }),
    "Cannot make the router: its middleware is not a list of functions",
  ],
];

interface Untyped {
  readonly get: (target: unknown, ...given: unknown[]) => void;
  readonly map: (target: unknown, controller: unknown) => void;
  readonly route: (method: string, target: unknown, handler: unknown) => void;
}

for (const [name, register, message] of mistakes) {
  Deno.test(`router rejects ${name} at registration`, () => {
    const router = createRouter();
    assertThrows(() => register(router as Untyped), TypeError, message);
    assertEquals(router.routes, []);
  });
}
