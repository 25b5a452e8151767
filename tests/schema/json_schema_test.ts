import { assertEquals, assertThrows } from "@std/assert";
import {
  any,
  array,
  bigint,
  boolean,
  brand,
  date,
  defaulted,
  enum_,
  intersect,
  type JSONSchema,
  lazy,
  literal,
  map,
  nullable,
  number,
  object,
  optional,
  record,
  type Schema,
  type StandardSchemaV1,
  strictObject,
  string,
  toJSONSchema,
  tuple,
  union,
  variant,
  withJSONSchema,
} from "@gatehouse/web/data-schema";
import {
  email,
  integer,
  length,
  max,
  maxLength,
  min,
  minLength,
  multipleOf,
  pattern,
  startsWith,
  uuid,
} from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { testStandardSchema } from "@gatehouse/web/data-schema/testing";

const text = { type: "string" };

const rows: [string, StandardSchemaV1, JSONSchema][] = [
  ["string", string().refine(() => true), text],
  ["brand", brand(string(), "Id"), text],
  ["number", number().pipe(min(1), max(2), multipleOf(0.5)), {
    type: "number",
    minimum: 1,
    maximum: 2,
    multipleOf: 0.5,
  }],
  ["integer", number().pipe(integer()), {
    type: "integer",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }],
  ["integer with bounds", number().pipe(integer(), min(1)), {
    type: "integer",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    allOf: [{ minimum: 1 }],
  }],
  ["boolean", boolean(), { type: "boolean" }],
  ["lengths", string().pipe(minLength(1), maxLength(2)), {
    type: "string",
    minLength: 1,
    maxLength: 2,
  }],
  ["patterns", string().pipe(pattern(/^a/), startsWith("a.b")), {
    type: "string",
    pattern: "^a",
    allOf: [{ pattern: "^a\\.b" }],
  }],
  ["patterns with flags", string().pipe(pattern(/^a$/i)), text],
  ["patterns for letters alone", string().pipe(pattern(/^\p{L}$/u)), {
    type: "string",
    pattern: "^\\p{L}$",
  }],
  ["patterns of the old mode", string().pipe(pattern(/^\-$/)), text],
  ["a hyphen", string().pipe(startsWith("sk-")), {
    type: "string",
    pattern: "^sk-",
  }],
  ["checks of what text becomes", coerce.number().pipe(integer()), {
    type: ["string", "number", "boolean"],
  }],
  [
    "checks behind a transform",
    string().pipe(minLength(1)).transform(Number).pipe(max(2)).refine(() =>
      true
    ),
    { type: "string", minLength: 1 },
  ],
  ["formats", string().pipe(email(), uuid()), {
    type: "string",
    format: "email",
    allOf: [{ format: "uuid" }],
  }],
  ["literal", literal("a"), { const: "a" }],
  ["enum", enum_(["a", 1, null]), { enum: ["a", 1, null] }],
  ["nullable", nullable(string()), { anyOf: [text, { type: "null" }] }],
  ["array", array(string()).pipe(minLength(1), length(2)), {
    type: "array",
    items: text,
    minItems: 1,
    allOf: [{ minItems: 2, maxItems: 2 }],
  }],
  ["tuple", tuple([string(), boolean()]), {
    type: "array",
    prefixItems: [text, { type: "boolean" }],
    items: false,
    minItems: 2,
    maxItems: 2,
  }],
  ["record", record(string(), boolean()), {
    type: "object",
    additionalProperties: { type: "boolean" },
  }],
  ["record of some keys", record(string().pipe(maxLength(2)), any()), {
    type: "object",
    propertyNames: { maxLength: 2 },
    additionalProperties: {},
  }],
  [
    "object",
    object({ a: string(), b: optional(string()), c: defaulted(string(), "x") }),
    {
      type: "object",
      properties: { a: text, b: text, c: { ...text, default: "x" } },
      required: ["a"],
    },
  ],
  ["strict object", strictObject({}), {
    type: "object",
    properties: {},
    additionalProperties: false,
  }],
  ["union", union([string(), boolean()]), {
    anyOf: [text, { type: "boolean" }],
  }],
  ["intersect", intersect(string(), any()), { allOf: [text, {}] }],
  ["variant", variant("t", { a: object({ n: string() }) }), {
    anyOf: [{
      allOf: [
        { properties: { t: { enum: ["a"] } }, required: ["t"] },
        { type: "object", properties: { n: text }, required: ["n"] },
      ],
    }],
  }],
  ["input of a transform", string().transform(() => 1), text],
];

for (const [name, schema, expected] of rows) {
  Deno.test(`toJSONSchema() describes ${name}`, () => {
    const { $schema, ...described } = toJSONSchema(schema);
    assertEquals(described, expected);
    assertEquals($schema, "https://json-schema.org/draft/2020-12/schema");
  });
}

Deno.test("toJSONSchema() describes recursive schemas by reference", () => {
  interface Tree {
    children: Tree[];
  }
  const Tree: Schema<Tree> = object({ children: array(lazy(() => Tree)) });
  const tree = {
    type: "object",
    properties: {
      children: { type: "array", items: { $ref: "#/$defs/schema0" } },
    },
    required: ["children"],
  };
  assertEquals(toJSONSchema(Tree), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...tree,
    $defs: { schema0: tree },
  });
  const { definitions } = toJSONSchema(Tree, { target: "draft-07" });
  assertEquals(Object.keys(definitions as object), ["schema0"]);
});

Deno.test("toJSONSchema() writes draft-07 and OpenAPI 3.0 in their own words", () => {
  assertEquals(toJSONSchema(tuple([string()]), { target: "draft-07" }), {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "array",
    items: [text],
    additionalItems: false,
    minItems: 1,
    maxItems: 1,
  });
  assertEquals(toJSONSchema(nullable(string()), { target: "openapi-3.0" }), {
    type: "string",
    nullable: true,
  });
  const words: [StandardSchemaV1, JSONSchema][] = [
    [literal("a"), { enum: ["a"] }],
    [nullable(enum_(["a", "b"])), {
      anyOf: [{ enum: ["a", "b"] }, { enum: [null] }],
    }],
    [coerce.number(), {
      anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
    }],
  ];
  for (const [schema, description] of words) {
    assertEquals(toJSONSchema(schema, { target: "openapi-3.0" }), description);
  }
});

Deno.test("toJSONSchema() refuses what OpenAPI 3.0 has no words for", () => {
  for (const schema of [tuple([string()]), lazy(() => string())]) {
    assertThrows(
      () => toJSONSchema(schema, { target: "openapi-3.0" }),
      TypeError,
      "Cannot describe",
    );
  }
});

Deno.test("toJSONSchema() tells input from output", () => {
  const Query = object({
    page: defaulted(coerce.number(), 1),
    sort: optional(string()),
    size: optional(string()).transform(() => "a").pipe(),
  });
  const Simple = object({
    page: defaulted(coerce.number(), 1),
    size: defaulted(number(), 1).pipe(min(1)),
    sort: nullable(optional(string())),
  });
  const { required, properties } = toJSONSchema(Simple, { io: "output" });
  assertEquals(required, ["page", "size"]);
  assertEquals(properties, {
    page: { type: "number", default: 1 },
    size: { type: "number", default: 1, minimum: 1 },
    sort: { anyOf: [text, { type: "null" }] },
  });
  assertEquals(toJSONSchema(Query).required, undefined);
  assertThrows(() => toJSONSchema(Query, { io: "output" }), TypeError);
});

for (
  const [name, schema] of Object.entries({
    bigint: bigint(),
    date: date(),
    map: map(string(), string()),
    "literal of a bigint": literal(1n),
  })
) {
  Deno.test(`toJSONSchema() refuses ${name}, for which there are no words`, () => {
    assertThrows(() => toJSONSchema(object({ a: schema })), TypeError);
  });
}

Deno.test("withJSONSchema() offers Standard JSON Schema beside validation", async () => {
  const User = withJSONSchema(object({ name: string() }));
  for (
    const { run } of testStandardSchema(User, {
      valid: [{ name: "a" }],
      invalid: [{}],
    })
  ) {
    await run();
  }
  const { jsonSchema } = User["~standard"];
  assertEquals(jsonSchema.input({ target: "openapi-3.0" }).type, "object");
  assertThrows(() => jsonSchema.output({ target: "draft-3" }), TypeError);
});
