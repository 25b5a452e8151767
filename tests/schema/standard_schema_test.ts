import { assertEquals } from "@std/assert";
import {
  array,
  date,
  number,
  object,
  optional,
  parse,
  parseSafe,
  type StandardSchemaV1,
  string,
  union,
} from "@gatehouse/web/data-schema";
import { email, minLength } from "@gatehouse/web/data-schema/checks";
import { field, object as form } from "@gatehouse/web/data-schema/form-data";
import {
  type StandardSchemaSamples,
  testStandardSchema,
} from "@gatehouse/web/testing";
import { broken } from "./_broken.ts";

const subjects: [string, StandardSchemaV1, StandardSchemaSamples][] = [
  ["string()", string().pipe(minLength(1)), { valid: ["a"], invalid: ["", 1] }],
  ["object()", object({ a: number(), b: optional(string()) }), {
    valid: [{ a: 1 }, { a: 1, b: "c", d: 2 }],
    invalid: [{}, { a: "1" }, null],
  }],
  ["array()", array(string().pipe(email())), {
    valid: [[], ["a@b.co"]],
    invalid: [["a"]],
  }],
  ["union()", union([string(), date()]), {
    valid: ["a", new Date()],
    invalid: [1],
  }],
  [
    "an async rule",
    object({ a: string().refine((text) => Promise.resolve(text !== "b")) }),
    { valid: [{ a: "a" }], invalid: [{ a: "b" }, {}] },
  ],
  ["a form", form({ a: field(string()) }), {
    valid: [new URLSearchParams("a=1")],
    invalid: [new URLSearchParams(""), {}],
  }],
];

for (const [subject, schema, samples] of subjects) {
  for (const { name, run } of testStandardSchema(schema, samples)) {
    Deno.test(`Standard Schema: ${subject} ${name}`, run);
  }
}

const Foreign: StandardSchemaV1<string, number> = broken((value) => {
  if (typeof value === "string") return { value: value.length };
  const path = ["a", { key: 0 }];
  return { issues: [{ message: "No text", path, input: value }] };
}) as StandardSchemaV1<string, number>;

Deno.test("a schema's validate() takes the options of parse()", () => {
  const Name = object({ name: string() });
  const libraryOptions = { messages: { required: "Pflichtfeld" } };
  const result = Name["~standard"].validate({}, { libraryOptions });
  assertEquals(
    "issues" in result && result.issues?.[0]?.message,
    "Pflichtfeld",
  );
  const copied = Name["~standard"].validate({ name: "a" }, {
    libraryOptions: { copy: true },
  });
  assertEquals("value" in copied && copied.value, { name: "a" });
  assertEquals(
    Name["~standard"].validate({ name: "a" }, { libraryOptions: undefined }),
    { success: true, value: { name: "a" } } as unknown,
  );
});

Deno.test("parse() takes schemas of other libraries, whole or as parts", () => {
  assertEquals(parse(Foreign, "abc"), 3);
  assertEquals(parse(object({ a: array(Foreign) }), { a: ["ab"] }), { a: [2] });
  assertEquals(parseSafe(object({ x: Foreign }), { x: 1 }), {
    success: false,
    issues: [{
      code: "invalid",
      path: ["x", "a", 0],
      message: "No text",
      params: {},
    }],
  });
  assertEquals(parseSafe(object({ x: Foreign }), {}).success, false);
});
