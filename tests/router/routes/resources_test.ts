import { createRouter } from "@gatehouse/web/fetch-router";
import { resource, resources, route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";
import { list } from "./_list.ts";

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
