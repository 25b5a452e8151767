// Schemas with other libraries: their functions accept our schemas, ours accept
// theirs, and a JSON Schema validator agrees with our parser.

import { assert, assertEquals, assertFalse } from "@std/assert";
import {
  array,
  boolean,
  defaulted,
  enum_,
  intersect,
  lazy,
  literal,
  nullable,
  number,
  object,
  optional,
  parse,
  parseSafe,
  parseSafeAsync,
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
  endsWith,
  includes,
  integer,
  length,
  max,
  maxLength,
  min,
  minLength,
  multipleOf,
  pattern,
  startsWith,
} from "@gatehouse/web/data-schema/checks";
import { testStandardSchema } from "@gatehouse/web/testing";
import type {
  StandardJSONSchemaV1 as PublicJSONSchema,
  StandardSchemaV1 as PublicSchema,
} from "npm:@standard-schema/spec@1.1.0";
import { sValidator } from "npm:@hono/standard-validator@0.4.0";
import { Ajv } from "npm:ajv@8.20.0";
import { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
import { type } from "npm:arktype@2.2.9";
import { Hono } from "npm:hono@4.13.19";
import * as v from "npm:valibot@1.5.0";
import * as z from "npm:zod@4.6.7";
import { mutate, type RandomInteger, seededIntegers } from "./_random_json.ts";

interface Tree {
  value: number;
  children: Tree[];
}
const Tree: Schema<Tree> = object({
  value: number(),
  children: array(lazy(() => Tree)),
});

/** Schemas that JSON Schema can express completely. */
const subjects: Readonly<Record<string, StandardSchemaV1>> = {
  string: string().pipe(minLength(2), maxLength(4)),
  exact: string().pipe(length(2)),
  patterns: string().pipe(pattern(/^a/), includes("b")),
  ends: string().pipe(startsWith("a"), endsWith(".")),
  number: number().pipe(min(-1), max(3)),
  integer: number().pipe(integer(), multipleOf(2)),
  boolean: boolean(),
  literal: literal("a"),
  enum: enum_(["a", 1, null, true]),
  nullable: nullable(number()),
  array: array(union([number(), string()])).pipe(minLength(1), maxLength(2)),
  tuple: tuple([number(), string()]),
  record: record(string().pipe(maxLength(1)), number()),
  object: object({
    a: number(),
    b: optional(string()),
    c: defaulted(boolean(), false),
    d: nullable(array(number())),
  }),
  strict: strictObject({ a: number(), b: optional(string()) }),
  nested: object({
    a: object({ a: number() }),
    b: array(object({ a: number() })),
  }),
  intersect: intersect(object({ a: number() }), object({ b: string() })),
  union: union([object({ a: number() }), object({ b: string() }), literal(1)]),
  variant: variant("a", {
    a: object({ a: literal("a"), b: number() }),
    b: object({ a: literal("b"), c: string() }),
  }),
  tree: Tree,
};

/** Valid values for random changes. */
const seeds: Readonly<Record<string, unknown>> = {
  array: [1, "a"],
  tuple: [1, "a"],
  object: { a: 1, b: "b", c: true, d: [1, 2] },
  strict: { a: 1, b: "b" },
  nested: { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] },
  intersect: { a: 1, b: "b" },
  union: { b: "b" },
  variant: { a: "b", c: "a" },
  tree: { value: 1, children: [{ value: 2, children: [] }] },
};

const dialects = {
  "draft-2020-12": new Ajv2020({ strict: false }),
  "draft-07": new Ajv({ strict: false }),
} as const;

for (const [name, schema] of Object.entries(subjects)) {
  for (const target of ["draft-2020-12", "draft-07"] as const) {
    Deno.test(`ajv agrees with parseSafe() on ${name} (${target})`, () => {
      const validate = dialects[target].compile(
        toJSONSchema(schema, { target }),
      );
      const random = seededIntegers(4711);
      let passing = 0;
      for (let round = 0; round < 10_000; round++) {
        const value = round % 2 === 0
          ? randomJson(random, 4)
          : mutate(seeds[name] ?? null, random, {
            part: () => randomJson(random, 1),
            entry: () => [KEYS[random(KEYS.length)]!, 1],
          });
        const text = JSON.stringify(value);
        const expected = validate(value);
        const result = parseSafe(schema, value);
        assertEquals(result.success, expected, `${name}: ${text}`);
        assertEquals(JSON.stringify(value), text);
        if (result.success) passing++;
      }
      assert(passing > 50, `only ${passing} values passed`);
    });
  }
}

const TEXTS = [
  "",
  "a",
  "b",
  "ab",
  "a.",
  "ab.",
  "abcd",
  "abcde",
  "😀",
  "😀😀",
  "a😀b",
];
const NUMBERS = [0, 1, 2, -1, -2, 3, 4, 0.5, 1.5, 1e20, 2 ** 53, -(2 ** 53)];
const KEYS = ["a", "b", "c", "d", "value", "children", "constructor"];

function randomJson(random: RandomInteger, depth: number): unknown {
  switch (random(depth > 0 ? 7 : 4)) {
    case 0:
      return TEXTS[random(TEXTS.length)];
    case 1:
      return NUMBERS[random(NUMBERS.length)];
    case 2:
      return random(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from(
        { length: random(4) },
        () => randomJson(random, depth - 1),
      );
    case 5:
      return { value: random(3), children: [randomJson(random, depth - 1)] };
  }
  const entries = Array.from({ length: random(4) }, () => [
    KEYS[random(KEYS.length)]!,
    randomJson(random, depth - 1),
  ]);
  return Object.fromEntries(entries);
}

const User = object({ name: string().pipe(minLength(1)), age: number() });

Deno.test("a validator for Standard Schema accepts our schemas", async () => {
  const app = new Hono();
  app.post("/users", sValidator("json", User), (context) => {
    const { name, age } = context.req.valid("json");
    return context.text(`${name} ${age + 1}`);
  });
  const post = (body: unknown) =>
    app.request("/users", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  const good = await post({ name: "Ada", age: 36 });
  assertEquals([good.status, await good.text()], [200, "Ada 37"]);
  const bad = await post({ name: "", age: "36" });
  assertEquals(bad.status, 400);
  const { error } = await bad.json();
  assertEquals(error.map(({ path }: { path: unknown }) => path), [
    ["name"],
    ["age"],
  ]);
});

Deno.test("our schemas have the public types of Standard Schema", () => {
  const schema: PublicSchema<{ name: string; age: number }> = User;
  const described: PublicJSONSchema<{ name: string; age: number }> =
    withJSONSchema(User);
  assertEquals(schema["~standard"].version, 1);
  assertEquals(described["~standard"].vendor, "gatehouse");
});

/** The same user in schemas of other libraries. */
const theirs: Readonly<
  Record<string, StandardSchemaV1<unknown, { name: string; age: number }>>
> = {
  zod: z.object({ name: z.string().min(1), age: z.number() }),
  valibot: v.object({
    name: v.pipe(v.string(), v.minLength(1)),
    age: v.number(),
  }),
  arktype: type({ name: "string >= 1", age: "number" }),
};

for (const [library, schema] of Object.entries(theirs)) {
  Deno.test(`parse() accepts a schema of ${library}, whole and as a part`, () => {
    const user = { name: "Ada", age: 36 };
    assertEquals(parse(schema, user).age, 36);
    assertEquals(parse(object({ user: schema }), { user }).user.name, "Ada");

    const secret = "s3cret";
    const result = parseSafe(array(schema), [user, { name: "", age: secret }]);
    assertFalse(result.success);
    if (result.success) return;
    assertEquals(
      result.issues.map(({ code, path }) => [code, ...path]).sort(),
      [
        ["invalid", 1, "age"],
        ["invalid", 1, "name"],
      ],
    );
    for (const issue of result.issues) {
      assertEquals(Object.keys(issue).sort(), [
        "code",
        "message",
        "params",
        "path",
      ]);
    }
  });

  for (
    const { name, run } of testStandardSchema(schema, {
      valid: [{ name: "Ada", age: 36 }],
      invalid: [{ name: "", age: 1 }, null],
    })
  ) {
    Deno.test(`testStandardSchema() passes for ${library}: ${name}`, run);
  }
}

Deno.test("parseSafeAsync() accepts an async schema of another library", async () => {
  const Name = z.string().refine((name) => Promise.resolve(name !== "admin"));
  const Form = object({ name: Name, age: number() });
  assert((await parseSafeAsync(Form, { name: "ada", age: 1 })).success);
  const result = await parseSafeAsync(Form, { name: "admin", age: "1" });
  assertEquals(result.success ? [] : result.issues.map(({ path }) => path), [
    ["name"],
    ["age"],
  ]);
});

Deno.test("toJSONSchema() describes parts of libraries that describe themselves", () => {
  const Part = z.object({ a: z.string() });
  const { properties } = toJSONSchema(object({ part: Part }));
  assertEquals(Object.keys(properties as object), ["part"]);
});
