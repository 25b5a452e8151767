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
  type UnsupportedPart,
  variant,
  withJSONSchema,
} from "@gatehouse/web/data-schema";
import {
  email,
  endsWith,
  integer,
  length,
  max,
  maxLength,
  min,
  minLength,
  multipleOf,
  pattern,
  startsWith,
  url,
  uuid,
} from "@gatehouse/web/data-schema/checks";
import { testStandardSchema } from "@gatehouse/web/testing";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { assertEquals, assertThrows } from "@std/assert";
import { text } from "./_schemas.ts";

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
  ["patterns of letters only", string().pipe(pattern(/^\p{L}$/u)), {
    type: "string",
    pattern: "^\\p{L}$",
  }],
  ["patterns of the old mode", string().pipe(pattern(/^\-$/)), text],
  ["a hyphen", string().pipe(startsWith("sk-")), {
    type: "string",
    pattern: "^sk-",
  }],
  ["checks of a converted string", coerce.number().pipe(integer()), {
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
  ["an empty tuple", tuple([]), { type: "array", maxItems: 0 }],
  ["a literal that JSON lacks", literal(undefined), { not: {} }],
  ["an enum without values", enum_([]), { not: {} }],
  ["patterns that count code units", string().pipe(pattern(/^..$/)), text],
  ["patterns of negated sets", string().pipe(pattern(/^[^a][^b]$/)), text],
  ["patterns of escaped negated sets", string().pipe(pattern(/^\D\W$/)), text],
  [
    "patterns of escapes that the mode changes",
    string().pipe(pattern(new RegExp("\\p{L}"))),
    text,
  ],
  [
    "patterns of repeated letters",
    string().pipe(pattern(new RegExp("^\\u{61}$"))),
    text,
  ],
  ["patterns of half a pair", string().pipe(pattern(/\ud83d/)), text],
  ["patterns of literal points", string().pipe(pattern(/^[.\d]+\.\w$/)), {
    type: "string",
    pattern: "^[.\\d]+\\.\\w$",
  }],
  ["patterns of code points", string().pipe(pattern(/^..$/u)), {
    type: "string",
    pattern: "^..$",
  }],
  ["a URL by its scheme", string().pipe(url({ schemes: ["a+b", "https"] })), {
    type: "string",
    pattern: "^(?:[aA]\\+[bB]|[hH][tT][tT][pP][sS]):",
  }],
  ["half a pair", string().pipe(endsWith("\ude00")), text],
  ["bounds that JSON lacks", number().pipe(min(-Infinity), max(10n)), {
    type: "number",
  }],
  ["lengths that JSON Schema lacks", string().pipe(maxLength(1.5)), text],
  ["lengths of two types", union([array(any()), string()]).pipe(maxLength(2)), {
    anyOf: [{ type: "array", items: {} }, text],
    maxItems: 2,
    maxLength: 2,
  }],
  [
    "checks behind a transform in a union",
    union([string().transform(Number), number()]).pipe(max(2)),
    { anyOf: [text, { type: "number" }] },
  ],
  [
    "checks behind a transform in a variant",
    variant("t", { a: object({}).transform(() => "abc") }).pipe(maxLength(5)),
    {
      anyOf: [{
        allOf: [
          { properties: { t: { enum: ["a"] } }, required: ["t"] },
          { type: "object", properties: {} },
        ],
      }],
    },
  ],
  [
    "checks behind a transform in an intersection",
    intersect(string().transform(Number), string().transform(Number))
      .pipe(max(2)),
    { allOf: [text, text] },
  ],
  ["defaults that are JSON only", defaulted(any(), { a: [new Date(0)] }), {}],
  [
    "an intersection that may be missing",
    object({ a: intersect(optional(string()), optional(string())) }),
    { type: "object", properties: { a: { allOf: [text, text] } } },
  ],
];

for (const [name, schema, expected] of rows) {
  Deno.test(`toJSONSchema() describes ${name}`, () => {
    const { $schema, ...described } = toJSONSchema(schema);
    assertEquals(described, expected);
    assertEquals($schema, "https://json-schema.org/draft/2020-12/schema");
  });
}

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
    // It has no propertyNames.
    [record(string().pipe(maxLength(3)), string()), {
      type: "object",
      additionalProperties: { type: "string" },
    }],
    [coerce.number(), {
      anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
    }],
  ];
  for (const [schema, description] of words) {
    assertEquals(toJSONSchema(schema, { target: "openapi-3.0" }), description);
  }
});

Deno.test("toJSONSchema() rejects schemas that OpenAPI 3.0 cannot express", () => {
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
  Deno.test(`toJSONSchema() rejects ${name}, for which there are no words`, () => {
    assertThrows(() => toJSONSchema(object({ a: schema })), TypeError);
  });
}

Deno.test("toJSONSchema() leaves unsupported parts out and reports them", () => {
  const parts: UnsupportedPart[] = [];
  const Order = object({
    id: string(),
    place: tuple([number(), number()]),
    days: array(object({ day: date(), count: bigint() })),
    sizes: record(string(), literal(1n)),
    comment: lazy(() => string()),
  });
  const described = toJSONSchema(Order, {
    target: "openapi-3.0",
    onUnsupported(part) {
      parts.push(part);
      if (part.type === "date") return { type: "string", format: "date" };
    },
  });
  assertEquals(described, {
    type: "object",
    properties: {
      id: text,
      place: {},
      days: {
        type: "array",
        items: {
          type: "object",
          properties: { day: { type: "string", format: "date" }, count: {} },
          required: ["day", "count"],
        },
      },
      sizes: { type: "object", additionalProperties: {} },
      comment: {},
    },
    required: ["id", "place", "days", "sizes", "comment"],
  });
  assertEquals(parts, [
    { type: "tuple", path: ["place"] },
    { type: "date", path: ["days", "*", "day"] },
    { type: "bigint", path: ["days", "*", "count"] },
    { type: "1", path: ["sizes", "*"] },
    { type: "lazy", path: ["comment"] },
  ]);
});

Deno.test("toJSONSchema() says which part it can't describe", () => {
  assertThrows(
    () => toJSONSchema(object({ a: array(object({ at: date() })) })),
    TypeError,
    'Cannot describe schema "date" at "a.*.at": not supported in draft-2020-12',
  );
  assertThrows(
    () => toJSONSchema(object({ part: undescribed })),
    TypeError,
    'Cannot describe schema "schema of other" at "part": it has no JSON Schema',
  );
});

/** A schema of a library that describes nothing. */
const undescribed: StandardSchemaV1 = {
  "~standard": {
    version: 1,
    vendor: "other",
    validate: (value) => ({ value }),
  },
};

Deno.test("withJSONSchema() gives parts that toJSONSchema() embeds whole", () => {
  interface Tree {
    kids: Tree[];
  }
  const Tree: Schema<Tree> = object({ kids: array(lazy(() => Tree)) });
  const described = toJSONSchema(object({ tree: withJSONSchema(Tree) }));
  assertEquals(described.properties, { tree: { $ref: "#/$defs/schema0" } });
  assertEquals(described.required, ["tree"]);
  const { schema0 } = described.$defs as Record<string, JSONSchema>;
  assertEquals(schema0?.properties, {
    kids: {
      type: "array",
      items: { $ref: "#/$defs/schema0/$defs/schema0" },
    },
  });
});

Deno.test("withJSONSchema() offers Standard JSON Schema in addition to validation", async () => {
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
