import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { del, get, post, route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");

Deno.test("router.map() registers a single route (spec 4.1)", async () => {
  const router = createRouter();
  router.map(get("/a"), ok);
  router.map(post("/b"), { handler: ok, middleware: [tag("own")] });
  router.map(
    del("/c/:id"),
    { middleware: [tag("third")] },
    ({ params }) => new Response(params.id),
  );
  router.map("/d", ok);
  assertEquals(router.routes, [
    { method: "GET", pattern: "/a" },
    { method: "POST", pattern: "/b" },
    { method: "DELETE", pattern: "/c/:id" },
    { method: "GET", pattern: "/d" },
  ]);
  const posted = await router.fetch(`${origin}/b`, { method: "POST" });
  assertEquals(posted.headers.get("X-Trail"), "own");
  const deleted = await router.fetch(`${origin}/c/9`, { method: "DELETE" });
  assertEquals(deleted.headers.get("X-Trail"), "third");
  assertEquals(await deleted.text(), "9");
});

const routes = route({
  home: "/",
  admin: route("admin", {
    index: "/",
    user: { show: "/users/:id", create: post("/users") },
  }),
});

Deno.test("router.map() registers a controller with middleware for the whole map (spec 4.1, A.3)", async () => {
  const router = createRouter({ middleware: [tag("global")] });
  router.map(routes, {
    actions: {
      home: ok,
      admin: {
        middleware: [tag("admin")],
        actions: {
          index: ok,
          user: {
            middleware: [tag("user")],
            actions: {
              show: {
                middleware: [tag("show")],
                handler: ({ params }) => new Response(params.id),
              },
              create: ok,
            },
          },
        },
      },
    },
  });
  const show = await router.fetch(`${origin}/admin/users/7`);
  assertEquals(await show.text(), "7");
  assertEquals(show.headers.get("X-Trail"), "show user admin global");
  const home = await router.fetch(origin);
  assertEquals(home.headers.get("X-Trail"), "global");
});

Deno.test("router.map() throws if an action is missing, extra or not a function (spec A.6)", () => {
  const map = route({ a: "/a", b: "/b" });
  const bad: [unknown, string][] = [
    [{ actions: { a: ok } }, '"b"'],
    [{ actions: { a: ok, b: ok, c: ok } }, '"c"'],
    [{ actions: { a: ok, b: {} } }, '"b"'],
    [{ actions: { a: ok, b: "text" } }, '"b"'],
    [{}, "actions"],
    [undefined, "actions"],
    [ok, "actions"],
    [{ actions: { a: ok, b: ok }, middleware: [1] }, "middleware"],
  ];
  for (const [controller, message] of bad) {
    // The types reject all of these. The check is for callers without types.
    const map_ = createRouter().map as (
      routes: unknown,
      controller: unknown,
    ) => void;
    assertThrows(() => map_(map, controller), TypeError, message);
  }
});

Deno.test("router.map() throws for a nested map without a controller", () => {
  const map_ = createRouter().map as (
    routes: unknown,
    controller: unknown,
  ) => void;
  assertThrows(
    () => map_(routes, { actions: { home: ok, admin: ok } }),
    TypeError,
    '"admin"',
  );
});

Deno.test("router.get() throws for misuse at registration", () => {
  const router = createRouter();
  const untyped = router.get as (target: unknown, action: unknown) => void;
  assertThrows(() => untyped("/x", undefined), TypeError, "it has no handler");
  assertThrows(() => untyped("/x", {}), TypeError, "it has no handler");
  assertThrows(
    () => untyped(post("/x"), ok),
    TypeError,
    "it does not answer GET",
  );
  assertThrows(() => untyped(routes, ok), TypeError, "use router.map");
});

function tag(name: string): Middleware<readonly []> {
  return async (_, next) => {
    const response = await next();
    const trail = response.headers.get("X-Trail");
    response.headers.set("X-Trail", trail === null ? name : `${trail} ${name}`);
    return response;
  };
}
