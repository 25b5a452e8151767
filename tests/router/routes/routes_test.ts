import { createRouter, RoutePattern } from "@gatehouse/web/fetch-router";
import {
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
} from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";
import { list } from "./_list.ts";

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

Deno.test("Route has href, pattern and method (spec 2.7)", () => {
  const show = new Route("GET", "/users/:id");
  assertEquals(show.method, "GET");
  assertEquals(show.pattern instanceof RoutePattern, true);
  assertEquals(show.pattern.source, "/users/:id");
});
