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
  failing,
  json,
  origin,
  post,
  send,
  stream,
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

Deno.test("validate() reports all errors in every part (RFC 9457)", async () => {
  const [status, problem, response] = await send({
    params: object({ id: number() }),
    query: object({ q: string() }),
    json: object({ items: array(object({ "a/b~ü%": string() })) }),
  }, { ...post('{"items":[{}]}'), path: "/notes/x" });
  assertEquals(status, 422);
  assertEquals(
    response.headers.get("Content-Type"),
    "application/problem+json",
  );
  assertEquals((problem as { errors: unknown }).errors, [
    { in: "params", pointer: "#/id", detail: "Expected number" },
    { in: "query", pointer: "#/q", detail: "Required" },
    {
      in: "json",
      pointer: "#/items/0/a~1b~0%C3%BC%25",
      detail: "Required",
    },
  ]);
});

Deno.test("validate() reports at most 100 errors", async () => {
  const issues = Array.from({ length: 200_000 }, (_, index) => ({
    message: "no",
    path: [index, Symbol("s"), { key: "\ud800" }],
  }));
  const Never: InputSchema = {
    "~standard": { version: 1, validate: () => ({ issues }) },
  };
  const [status, problem] = await send({ query: Never });
  const { errors } = problem as { errors: { pointer: string }[] };
  assertEquals([status, errors.length], [422, 100]);
  assertEquals(errors[1]!.pointer, "#/1/Symbol(s)/%EF%BF%BD");
});

Deno.test("validate() responds with less than the request for any keys", async () => {
  const issues = Array.from({ length: 100 }, () => ({
    message: "no",
    path: ["é".repeat(5_000), 1],
  }));
  const short = { message: "no", path: ["a"] };
  const Never: InputSchema = {
    "~standard": {
      version: 1,
      validate: () => ({ issues: [short, ...issues] }),
    },
  };
  const [status, problem] = await send({ query: Never });
  assertEquals(status, 422);
  assertEquals((problem as { errors: unknown[] }).errors, [
    { in: "query", pointer: "#/a", detail: "no" },
  ]);
});

const queries: [string, Record<string, unknown>][] = [
  ["", {}],
  ["a=1&b=2", { a: "1", b: "2" }],
  ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
  ["a[]=1", { "a[]": ["1"] }],
  ["a[]=1&a[]=2", { "a[]": ["1", "2"] }],
  ["a", { a: "" }],
  ["a=&a=", { a: ["", ""] }],
  ["=1", { "": "1" }],
  ["a=%&b=%zz&c=%ff", { a: "%", b: "%zz", c: "\ufffd" }],
  ["__proto__=1&__proto__=2&a=1", { a: "1" }],
  ["constructor=1&toString=2", { constructor: "1", toString: "2" }],
];

for (const [text, expected] of queries) {
  Deno.test(`validate() reads the query "${text}"`, async () => {
    let seen: unknown;
    const Seen: InputSchema = {
      "~standard": {
        version: 1,
        validate: (value) => ({ value: seen = value }),
      },
    };
    const path = `/notes/7?${text}`;
    await send({ query: Seen }, { path });
    assertEquals(Object.getPrototypeOf(seen), null);
    assertEquals(Object.entries(seen as object), Object.entries(expected));
    const pairs = post(text, urlencoded);
    await send({ form: Seen }, pairs);
    assertEquals(Object.entries(seen as object), Object.entries(expected));
  });
}

const bodies: [string, unknown][] = [
  ["null", null],
  ["0", 0],
  ['"text"', "text"],
  ["[]", []],
  [' {"a": 1}\n', { a: 1 }],
  ['\ufeff{"a":1}', { a: 1 }],
  ['{"a":"\\"__proto__\\":"}', { a: '"__proto__":' }],
  ['["__proto__"]', ["__proto__"]],
  ['{"a":"[[[[[[[[{{{{{\\\\"}', { a: "[[[[[[[[{{{{{\\" }],
  ["[".repeat(100) + "]".repeat(100), undefined],
  [`["\\"${"[".repeat(101)}"]`, ['"' + "[".repeat(101)]],
  [`["\\\\", [[]]]`, ["\\", [[]]]],
];

for (const [text, expected] of bodies) {
  Deno.test(`validate() reads the JSON ${text.slice(0, 30)}`, async () => {
    const [status, value] = await send({ json: Anything }, post(text));
    assertEquals(status, 200);
    if (expected !== undefined) assertEquals(value, expected);
  });
}

for (
  const type of [
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/vnd.api+json",
    "application/merge-patch+json",
  ]
) {
  Deno.test(`validate() accepts JSON as ${type}`, async () => {
    assertEquals((await send({ json: Anything }, post("1", type)))[1], 1);
  });
}

const deep = "[".repeat(100_000) + "]".repeat(100_000);
const refusals: [string, number, RequestInit, ValidateOptions?][] = [
  ["no body", 400, post(null)],
  ["an empty body", 400, post("")],
  ["half an object", 400, post('{"a":1')],
  ["two values", 400, post("1 2")],
  ["NaN", 400, post("NaN")],
  ["no UTF-8", 400, post(new Uint8Array([0x22, 0xff, 0x22]))],
  ["100,000 nested arrays", 400, post(deep)],
  ["101 nested arrays", 400, post("[".repeat(101) + "]".repeat(101))],
  ["2 with a limit of 1", 400, post("[[]]"), { maxDepth: 1 }],
  ["__proto__ as a key", 400, post('{"a":{"__proto__":{"b":1}}}')],
  ["__proto__ escaped", 400, post('{"\\u005f_\\u0070roto__" :{}}')],
  ["a body that fails", 400, post(failing())],
  ["no type", 415, post(new TextEncoder().encode("{}"), "")],
  ["plain text", 415, post("{}", "text/plain")],
  ["JSON Lines", 415, post("{}", "application/jsonl")],
  ["a form", 415, post("a=1", urlencoded)],
  ["another charset", 415, post("{}", `${json}; charset=utf-16`)],
  ["compressed", 415, post("{}", json, { "Content-Encoding": "gzip" })],
  [
    "too large, with a Content-Length",
    413,
    post("{}", json, { "Content-Length": "1048577" }),
  ],
  [
    "too large, without a Content-Length",
    413,
    post(stream(`"${"a".repeat(2 ** 20)}"`)),
  ],
  ["too large for a custom limit", 413, post("123456789"), { maxBytes: 8 }],
  ["a body that never arrives", 408, post(new ReadableStream()), {
    timeout: 10,
  }],
];

for (const [name, status, init, options] of refusals) {
  Deno.test(`validate() responds with ${status} to JSON: ${name}`, async () => {
    const result = await send({ json: Anything }, init, options);
    assertEquals(result[0], status);
    const problem = result[1] as { status: number; errors?: unknown };
    assertEquals(problem.status, status);
    assertEquals(problem.errors, undefined);
  });
}

Deno.test("validate() reads 1 MiB of JSON", async () => {
  const text = `"${"a".repeat(2 ** 20 - 2)}"`;
  assertEquals((await send({ json: Anything }, post(text)))[0], 200);
});

Deno.test("validate() limits the depth of recursive schemas", async () => {
  const Nested: Schema<unknown[]> = array(lazy(() => Nested));
  assertEquals((await send({ json: Nested }, post(deep)))[0], 400);
});

Deno.test("libraryOptions are passed to the schemas for each request", async () => {
  const options: ValidateOptions = {
    libraryOptions: ({ url }) => ({
      messages: { required: `Missing at ${url.pathname}` },
    }),
  };
  const [, problem] = await send(
    { query: object({ a: string() }) },
    {},
    options,
  );
  const { errors } = problem as { errors: { detail: string }[] };
  assertEquals(errors[0]!.detail, "Missing at /notes/7");
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

Deno.test("an undefined limit is the default", async () => {
  const options = { maxBytes: undefined } as unknown as ValidateOptions;
  const large = `"${"a".repeat(2 ** 20)}"`;
  assertEquals((await send({ json: Anything }, post(large), options))[0], 413);
  const router = createRouter({ middleware: [formData(options)] });
  router.post("/", () => new Response());
  const response = await router.fetch(
    origin,
    post(`a=${"b".repeat(2 ** 21)}`, urlencoded),
  );
  assertEquals(response.status, 413);
});
