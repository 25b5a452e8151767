import { assertEquals, assertRejects } from "@std/assert";
import {
  array,
  date,
  number,
  object,
  optional,
  parse,
  parseSafe,
  type StandardSchemaResult,
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

/** Creates a schema that breaks the standard in one way. */
function broken(
  validate: (value: unknown) => unknown,
  props: object = {},
): StandardSchemaV1 {
  const standard = {
    version: 1,
    vendor: "broken",
    validate: validate as (value: unknown) => StandardSchemaResult<unknown>,
    ...props,
  } as const;
  return { "~standard": standard };
}

let calls = 0;
const faults: [string, StandardSchemaV1, StandardSchemaSamples][] = [
  ["another version", broken((value) => ({ value }), { version: 2 }), {}],
  ["no vendor", broken((value) => ({ value }), { vendor: "" }), {}],
  ["issues for a good value", broken(() => ({ issues: [] })), { valid: [1] }],
  ["no value", broken(() => ({})), { valid: [1] }],
  ["no issues for a bad value", broken((value) => ({ value })), {
    invalid: [1],
  }],
  ["issues without message", broken(() => ({ issues: [{}] })), {
    invalid: [1],
  }],
  [
    "a path of objects without keys",
    broken(() => ({ issues: [{ message: "a", path: [{}] }] })),
    { invalid: [1] },
  ],
  [
    "errors",
    broken((value) => {
      if (typeof value === "symbol") throw new TypeError("odd");
      return { value };
    }),
    {},
  ],
  [
    "state",
    broken((value) =>
      ++calls % 2 === 0 ? { value } : { issues: [{ message: "a" }] }
    ),
    { valid: [1] },
  ],
  [
    "a changed input",
    broken((value) => {
      if (Array.isArray(value)) value.push(1);
      return { value };
    }),
    { valid: [[]] },
  ],
  [
    "validate that needs this",
    broken(function (this: { vendor: string } | undefined, value) {
      return { value: [this!.vendor, value] };
    }),
    { valid: [1] },
  ],
  [
    "a description of another type",
    broken((value) => ({ value }), {
      jsonSchema: { input: () => "string", output: () => ({}) },
    }),
    {},
  ],
];

for (const [fault, schema, samples] of faults) {
  Deno.test(`testStandardSchema() finds ${fault}`, async () => {
    const all = async () => {
      for (const { run } of testStandardSchema(schema, samples)) await run();
    };
    await assertRejects(all, Error);
  });
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
