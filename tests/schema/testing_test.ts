import { assertRejects } from "@std/assert";
import type { StandardSchemaV1 } from "@gatehouse/web/data-schema";
import {
  type StandardSchemaSamples,
  testStandardSchema,
} from "@gatehouse/web/testing";
import { broken } from "./_broken.ts";

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
