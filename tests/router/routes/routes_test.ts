import { createRouter, RoutePattern } from "@gatehouse/web/fetch-router";
import {
  type AnyRoute,
  del,
  form,
  get,
  head,
  options,
  patch,
  post,
  put,
  resource,
  resources,
  Route,
  route,
  type RouteMap,
} from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";

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

const helpers = [
  [get, "GET"],
  [post, "POST"],
  [put, "PUT"],
  [del, "DELETE"],
  [patch, "PATCH"],
  [head, "HEAD"],
  [options, "OPTIONS"],
] as const;

for (const [helper, method] of helpers) {
  Deno.test(`${helper.name}() creates a route for ${method} only (spec 4.2)`, async () => {
    const router = createRouter();
    router.map(helper("/x"), () => new Response(null));
    for (const [, other] of helpers) {
      const { status } = await router.fetch("https://example.com/x", {
        method: other,
      });
      const answered = other === method ||
        (method === "GET" && other === "HEAD");
      assertEquals(status === 200, answered, `${other} on ${method}`);
    }
  });
}

Deno.test("form() creates the routes index and action (spec 4.2)", () => {
  assertEquals(list(form("login")), {
    index: "GET /login",
    action: "POST /login",
  });
  assertEquals(
    list(
      form("/profile", {
        formMethod: "PUT",
        names: { index: "edit", action: "save" },
      }),
    ),
    { edit: "GET /profile", save: "PUT /profile" },
  );
  assertEquals(
    list(form("x", { names: { action: "submit" } })),
    { index: "GET /x", submit: "POST /x" },
  );
});

Deno.test("resources() creates seven routes (spec 4.2)", () => {
  assertEquals(list(resources("users")), {
    index: "GET /users",
    new: "GET /users/new",
    create: "POST /users",
    show: "GET /users/:id",
    edit: "GET /users/:id/edit",
    update: "PUT /users/:id",
    destroy: "DELETE /users/:id",
  });
});

Deno.test("resources() accepts param, only, exclude and names (spec 4.2)", () => {
  assertEquals(
    list(resources("posts", { param: "slug", only: ["show", "index"] })),
    { index: "GET /posts", show: "GET /posts/:slug" },
  );
  assertEquals(
    Object.keys(resources("posts", { exclude: ["new", "edit", "destroy"] })),
    ["index", "create", "show", "update"],
  );
  assertEquals(
    list(
      resources("posts", { only: ["index", "new"], names: { index: "list" } }),
    ),
    { list: "GET /posts", new: "GET /posts/new" },
  );
  assertEquals(list(resources("posts", { only: [] })), {});
});

Deno.test("resources() and resource() join their name without doubled slashes", () => {
  const only = ["index", "show"] as const;
  for (const name of ["", "/"]) {
    assertEquals(
      list(route("admin", { users: resources(name, { only }) })),
      { "users.index": "GET /admin", "users.show": "GET /admin/:id" },
    );
  }
  assertEquals(
    list(resources("/users/", { only })),
    { index: "GET /users", show: "GET /users/:id" },
  );
  assertEquals(list(resource("", { only: ["show", "edit"] })), {
    show: "GET /",
    edit: "GET /edit",
  });
});

Deno.test("resources() and resource() reject only together with exclude", () => {
  const both = { only: ["show"], exclude: ["edit"] } as const;
  assertThrows(
    () => resources("x", both),
    TypeError,
    "only and exclude are both given",
  );
  assertThrows(
    () => resource("x", both),
    TypeError,
    "only and exclude are both given",
  );
});

Deno.test("resources() and resource() accept only with an undefined exclude", () => {
  const options = { only: ["show"], exclude: [] } as const;
  assertEquals(list(resources("x", options)), { show: "GET /x/:id" });
  assertEquals(list(resource("x", options)), { show: "GET /x" });
});

Deno.test("resource() accepts names of Object.prototype", () => {
  const options = { only: ["show"], names: { show: "toString" } } as const;
  const routes = resource("x", options);
  assertEquals(Object.keys(routes), ["toString"]);
});

// Mistakes that types cannot detect, or in code without types.
const mistakes: [string, () => unknown, string][] = [
  [
    "two equal names in resources()",
    () => resources("x", { names: { index: "show" } }),
    'two are called "show"',
  ],
  [
    "two equal names in resource()",
    () => resource("x", { names: { edit: "a", update: "a" } }),
    'two are called "a"',
  ],
  [
    "a form with two equal names",
    () => form("x", { names: { index: "action" } }),
    'two are called "action"',
  ],
  [
    "a method in lower case",
    () => new Route("get" as "GET", "/x"),
    'Cannot create a route for "get"',
  ],
  [
    "a definition in lower case",
    () => route({ a: { method: "post", pattern: "/a" } }),
    'Cannot create a route for "post"',
  ],
];

for (const [name, make, message] of mistakes) {
  Deno.test(`${name} cause an error instead of a missing route`, () => {
    assertThrows(make, TypeError, message);
  });
}

Deno.test("route() accepts routes named method and pattern", () => {
  const routes = route({ method: "/method", pattern: "/pattern" });
  assertEquals(list(routes), {
    method: "GET /method",
    pattern: "GET /pattern",
  });
});

Deno.test("resource() creates the routes except index, new and create (spec 4.2)", () => {
  assertEquals(list(resource("account")), {
    show: "GET /account",
    edit: "GET /account/edit",
    update: "PUT /account",
    destroy: "DELETE /account",
  });
  assertEquals(list(resource("account", { exclude: ["destroy", "update"] })), {
    show: "GET /account",
    edit: "GET /account/edit",
  });
});

Deno.test("resources() matches /users/new before /users/:id in any order of registration", async () => {
  const routes = resources("users", { only: ["new", "show"] });
  const router = createRouter();
  router.map(routes.show, ({ params }) => new Response(`show ${params.id}`));
  router.map(routes.new, () => new Response("new"));
  const answer = async (path: string) =>
    await (await router.fetch(`https://example.com${path}`)).text();
  assertEquals(await answer("/users/new"), "new");
  assertEquals(await answer("/users/7"), "show 7");
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

Deno.test("Route has href, pattern and method (spec 2.7)", () => {
  const show = new Route("GET", "/users/:id");
  assertEquals(show.method, "GET");
  assertEquals(show.pattern instanceof RoutePattern, true);
  assertEquals(show.pattern.source, "/users/:id");
});

function list(map: RouteMap, path = ""): Record<string, string> {
  const rows: Record<string, string> = {};
  for (const [name, entry] of Object.entries(map)) {
    if (entry instanceof Route) {
      const { method, pattern } = entry as AnyRoute;
      rows[path + name] = `${method} ${pattern.source}`;
    } else Object.assign(rows, list(entry as RouteMap, `${path}${name}.`));
  }
  return rows;
}
