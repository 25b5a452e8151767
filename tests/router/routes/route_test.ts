import { del, get, route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";
import { list } from "./_list.ts";

Deno.test("route() creates GET routes from strings (spec 4.2, A.7)", () => {
  const routes = route({ home: "/", about: "about" });
  assertEquals(list(routes), { home: "GET /", about: "GET /about" });
});

Deno.test("route() accepts nested maps and prepends the prefix (spec 4.2)", () => {
  const routes = route("api", {
    v1: route("v1", {
      users: { show: "/users/:id", remove: del("/users/:id") },
      root: "/",
    }),
    deep: { deep: { deep: { deep: { end: "end" } } } },
  });
  assertEquals(list(routes), {
    "v1.users.show": "GET /api/v1/users/:id",
    "v1.users.remove": "DELETE /api/v1/users/:id",
    "v1.root": "GET /api/v1",
    "deep.deep.deep.deep.end": "GET /api/end",
  });
});

Deno.test("route() accepts routes, helper results, route objects and URLPattern", () => {
  const home = get("/");
  const routes = route({
    home,
    any: { method: "ANY", pattern: "/any" },
    native: new URLPattern({ pathname: "/native/:id" }),
  });
  assertEquals([routes.home.method, routes.home.href()], ["GET", home.href()]);
  assertEquals(routes.any.method, "ANY");
  assertEquals(routes.native.pattern.paramNames, ["id"]);
});

Deno.test("route() accepts routes named method and pattern", () => {
  const routes = route({ method: "/method", pattern: "/pattern" });
  assertEquals(list(routes), {
    method: "GET /method",
    pattern: "GET /pattern",
  });
});

Deno.test("route.href() returns the path with its params (spec 4.2)", () => {
  const routes = route("blog", { index: "/", show: "/:year/:slug" });
  assertEquals(routes.index.href(), "/blog");
  assertEquals(
    routes.show.href({ year: 2026, slug: "a b/c" }),
    "/blog/2026/a%20b%2Fc",
  );
  const untyped = routes.show as unknown as { href(params?: unknown): string };
  assertThrows(() => untyped.href(), TypeError, "slug");
});
