import {
  array,
  lazy,
  object,
  type Schema,
  string,
} from "@gatehouse/web/data-schema";
import { number } from "@gatehouse/web/data-schema/coerce";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  formData,
  type InputSchema,
  type InputSchemas,
  type OtherParts,
  validate,
  type ValidateOptions,
  ValidForm,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { assertSameType, compiles } from "../_assert_type.ts";
import {
  Anything,
  json,
  origin,
  post,
  send,
  urlencoded,
} from "../_validate.ts";

Deno.test("validate() passes the typed output of the schemas to the handler", async () => {
  const router = createRouter();
  const input = validate({
    params: object({ id: number() }),
    query: object({ page: number() }),
    json: object({ title: string() }),
  });
  router.put("/notes/:id", { middleware: [input] }, (context) => {
    const params = context.get(ValidParams);
    const query = context.get(ValidQuery);
    const body = context.get(ValidJSON);
    assertSameType<typeof params, { id: number }>();
    assertSameType<typeof query, { page: number }>();
    assertSameType<typeof body, { title: string }>();
    compiles("no part that nothing validates", () => {
      // @ts-expect-error: nothing validates a form
      context.get(ValidForm).title;
      // @ts-expect-error: there is no such part, and the params are let through
      validate({ json: object({}), parms: object({ id: number() }) });
    });
    return Response.json({ params, query, body });
  });
  const response = await router.fetch(`${origin}/notes/7?page=2`, {
    method: "PUT",
    headers: { "Content-Type": json },
    body: '{"title":"Tea","admin":true}',
  });
  assertEquals(await response.json(), {
    params: { id: 7 },
    query: { page: 2 },
    body: { title: "Tea" },
  });
});

Deno.test("validate() works in a controller and in its action together", async () => {
  const router = createRouter({
    middleware: [validate({ query: object({ page: number() }) })],
  });
  router.post("/notes/:id", {
    middleware: [
      validate({ params: object({ id: number() }) }),
      validate({ form: object({ title: string() }) }),
    ],
  }, (context) => {
    const form = context.get(ValidForm);
    assertSameType<typeof form, { title: string }>();
    return Response.json([
      context.get(ValidQuery).page,
      context.get(ValidParams).id,
      form.title,
    ]);
  });
  const response = await router.fetch(`${origin}/notes/7?page=2`, {
    method: "POST",
    body: new URLSearchParams({ title: "Tea" }),
  });
  assertEquals(await response.json(), [2, 7, "Tea"]);
});

Deno.test("validate() accepts async schemas and keeps the order of their outputs", async () => {
  const Free = string().refine((name) => Promise.resolve(name !== "admin"), {
    message: "Name is taken",
  });
  const schemas = { params: Anything, json: object({ name: Free }) };
  assertEquals((await send(schemas, post('{"name":"ada"}')))[1], {
    name: "ada",
  });
  const [status, problem] = await send(schemas, post('{"name":"admin"}'));
  assertEquals(status, 422);
  assertEquals(problem, {
    title: "Unprocessable Content",
    status: 422,
    detail: "Some of the input is not valid",
    errors: [{ in: "json", pointer: "#/name", detail: "Name is taken" }],
  });
});

const deep = "[".repeat(100_000) + "]".repeat(100_000);

Deno.test("validate() limits the depth of recursive schemas", async () => {
  const Nested: Schema<unknown[]> = array(lazy(() => Nested));
  assertEquals((await send({ json: Nested }, post(deep)))[0], 400);
});

Deno.test("validate() passes an error of a schema to onError", async () => {
  const Broken: InputSchema = {
    "~standard": {
      version: 1,
      validate: () => {
        throw new Error("database gone");
      },
    },
  };
  const router = createRouter({
    onError: (error) => new Response(String(error), { status: 503 }),
  });
  router.get("/", { middleware: [validate({ query: Broken })] }, () => {
    return new Response("reached");
  });
  const response = await router.fetch(origin);
  assertEquals(await response.text(), "Error: database gone");
});

const forms = [
  [urlencoded, "{}"],
  [`${urlencoded}; charset=utf-8`, "a=1"],
  ["Multipart/Form-Data; boundary=x", "--x--\r\n"],
] as const;

for (const [type, body] of forms) {
  Deno.test(`validate() responds with 415 to a body of ${type} that formData() has read`, async () => {
    const inner = createRouter({ middleware: [formData()] });
    const router = createRouter({ middleware: [formData()] });
    for (const each of [inner, router]) {
      const middleware = [validate({ json: Anything })];
      each.post("/notes", { middleware }, () => new Response("reached"));
    }
    router.mount("/in", inner);
    for (const path of ["/notes", "/in/notes"]) {
      const response = await router.fetch(origin + path, post(body, type));
      assertEquals(response.status, 415);
      const { status, detail } = await response.json();
      assertEquals(status, 415);
      assertEquals(
        detail,
        "The body must be JSON, in UTF-8 and not compressed",
      );
      const valid = await router.fetch(origin + path, post("{}"));
      assertEquals(await valid.text(), "reached");
    }
  });
}

Deno.test("validate() throws if the body was read before", async () => {
  let message = "";
  const router = createRouter({
    onError(error) {
      message = String(error);
      return new Response(null, { status: 500 });
    },
  });
  const middleware = [
    validate({ json: Anything }),
    validate({ json: Anything }),
  ];
  router.post("/", { middleware }, () => new Response());
  await router.fetch(origin, post("{}"));
  assert(message.startsWith("TypeError: Cannot validate the body"), message);
});

Deno.test("validate() accepts the schemas of a generic function", async () => {
  const validated = <Schemas extends InputSchemas>(
    schemas: Schemas & OtherParts<Schemas>,
  ) => validate(schemas, { maxBytes: 100 });
  const router = createRouter();
  const middleware = [
    validated({ json: object({ title: string() }) }),
  ] as const;
  router.post("/", { middleware }, (context) => {
    const { title } = context.get(ValidJSON);
    assertSameType<typeof title, string>();
    return new Response(title);
  });
  const response = await router.fetch(origin, post('{"title":"Tea"}'));
  assertEquals(await response.text(), "Tea");
});

const misuses: [string, unknown, unknown, new () => Error][] = [
  ["no schema", {}, {}, TypeError],
  ["a schema that is undefined", { json: undefined }, {}, TypeError],
  ["null", { json: null }, {}, TypeError],
  ["no Standard Schema", { query: { parse() {} } }, {}, TypeError],
  ["a misspelt part", { json: Anything, parms: Anything }, {}, TypeError],
  ["NaN as a limit", { json: Anything }, { maxBytes: NaN }, RangeError],
  ["a negative bound", { form: Anything }, { maxParts: -1 }, RangeError],
];

for (const [name, schemas, options, type] of misuses) {
  Deno.test(`validate() throws for ${name}`, () => {
    assertThrows(
      () => validate(schemas as InputSchemas, options as ValidateOptions),
      type,
      "Cannot ",
    );
  });
}
