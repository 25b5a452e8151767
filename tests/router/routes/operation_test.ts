import { respond } from "@gatehouse/web/content";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  get,
  post,
  put,
  Route,
  route,
} from "@gatehouse/web/fetch-router/routes";
import {
  validate,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "@gatehouse/web/middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { assertSameType } from "../_assert_type.ts";
import { NewNote, routes } from "./_notes.ts";

const origin = "https://example.com";

Deno.test("a route keeps its description and its name in route maps", () => {
  const { create } = routes.notes;
  assertEquals(create.pattern.source, "/notes/:notebook");
  assertEquals(create.operation.json, NewNote);
  assertEquals(create.operation.examples, { json: { text: "Buy tea" } });
  assertEquals(routes.users.list.operation, { tags: ["users"] });
  assertEquals(routes.login.action.operation, { deprecated: true });
  assertEquals(
    [
      routes.home,
      create,
      routes.users.list,
      routes.users.show,
      routes.login.index,
    ].map(({ name }) => name),
    ["home", "notes.create", "users.list", "users.show", "login.index"],
  );
  assertEquals(get("/x").name, "");
  assertEquals(get("/x").operation, {});
  assertSameType<typeof create.operation.json, typeof NewNote>();
});

Deno.test("a route that is in two maps has a name in each", () => {
  const home = get("/");
  const first = route({ home });
  const second = route({ start: home, inner: first });
  assertEquals(first.home.name, "home");
  assertEquals(second.start.name, "start");
  assertEquals(second.inner.home.name, "inner.home");
  assertEquals(home.name, "");
});

Deno.test("a route without a description has the same type as before", () => {
  const home = get("/");
  assertSameType<typeof home, Route<"GET", "/">>();
  const map = route("api", { home });
  assertSameType<typeof map.home, Route<"GET", "/api">>();
  const plain = route({ x: { method: "POST", pattern: "/x" } });
  assertSameType<typeof plain.x, Route<"POST", "/x">>();
  const described: Route = routes.notes.create as Route;
  assertEquals(described.name, "notes.create");
});

Deno.test("a plain object describes a route", () => {
  const map = route("api", {
    list: { method: "GET", pattern: "/list", operation: { query: NewNote } },
  });
  assertEquals(map.list.operation.query, NewNote);
  assertSameType<typeof map.list.operation.query, typeof NewNote>();
});

Deno.test("a description with an unknown property is rejected", () => {
  const misspelled = { jsom: NewNote };
  assertThrows(
    () => new Route("POST", "/x", misspelled as Record<never, never>),
    TypeError,
    'Cannot create route "/x": it has no "jsom"',
  );
  // @ts-expect-error: The property is misspelled.
  assertThrows(() => post("/x", { jsom: NewNote }), TypeError);
  // @ts-expect-error: The schema has no such property.
  post("/x", { json: NewNote, examples: { json: { title: "Tea" } } });
  // @ts-expect-error: There is no schema for the example.
  post("/x", { json: NewNote, examples: { query: {} } });
});

Deno.test("a description with a malformed media type is rejected", () => {
  const invalid: unknown[] = [
    "",
    "png",
    "image/",
    "image/png; charset=utf-8",
    "image/png\r\n",
    "__proto__",
    ["image/png", ""],
    [1],
    null,
    {},
  ];
  for (const body of invalid) {
    assertThrows(
      () => put("/x", { body: body as string }),
      TypeError,
      'Cannot create route "/x": body is not a media type',
    );
  }
  for (const body of ["image/png", "image/*", "application/vnd.api+json"]) {
    assertEquals(put("/x", { body }).operation.body, body);
  }
});

Deno.test("validate() checks the input that a route describes", async () => {
  const router = createRouter();
  const { create, index } = routes.notes;
  router.post(create, validate(create), (context) => {
    const { text } = context.get(ValidJSON);
    const { notebook } = context.get(ValidParams);
    assertSameType<typeof text, string>();
    return respond(create, 201, { id: notebook, text });
  });
  router.get(index, { middleware: [validate(index)] }, (context) => {
    const { q } = context.get(ValidQuery);
    assertSameType<typeof q, string | undefined>();
    return respond(index, 200, [{ id: "1", text: `${q}` }]);
  });
  const created = await router.fetch(`${origin}/notes/home`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"text":"Tea"}',
  });
  assertEquals([created.status, await created.json()], [201, {
    id: "home",
    text: "Tea",
  }]);
  const refused = await router.fetch(`${origin}/notes/home`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  assertEquals(refused.status, 422);
  const list = await router.fetch(`${origin}/notes?q=a`);
  assertEquals(await list.json(), [{ id: "1", text: "a" }]);
});

Deno.test("the action of a controller sees the input that its route describes", () => {
  const router = createRouter();
  const { create } = routes.notes;
  router.map({ create }, {
    actions: {
      create: {
        middleware: [validate(create)],
        handler(context) {
          const { text } = context.get(ValidJSON);
          assertSameType<typeof text, string>();
          return new Response(text);
        },
      },
    },
  });
  assertEquals(router.routes.length, 1);
});

Deno.test("validate() throws for a route that describes no input", () => {
  assertThrows(() => validate(routes.home), TypeError, "there is no schema");
});
