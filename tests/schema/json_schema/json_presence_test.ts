import {
  object,
  type StandardSchemaV1,
  string,
  toJSONSchema,
} from "@gatehouse/web/data-schema";
import { assertEquals } from "@std/assert";
import { foreign, refused } from "./_schemas.ts";

Deno.test("toJSONSchema() leaves out the output of a transform, which may be missing", () => {
  const Form = object({ a: string().transform(() => undefined), b: string() });
  const types: string[] = [];
  const { required } = toJSONSchema(Form, {
    io: "output",
    onUnsupported: ({ type }) => void types.push(type),
  });
  assertEquals([required, types], [["b"], ["transform"]]);
});

const presences: [
  string,
  StandardSchemaV1["~standard"]["validate"],
  boolean,
  boolean,
][] = [
  ["refuses undefined", refused, true, true],
  ["takes undefined", (value) => ({ value }), false, false],
  ["gives a default", () => ({ value: "a" }), false, true],
  ["is async", () => Promise.reject(new Error("offline")), false, false],
  [
    "throws",
    () => {
      throw new Error("broken");
    },
    false,
    false,
  ],
];

for (const [name, validate, input, output] of presences) {
  Deno.test(`toJSONSchema() knows if a self-describing part is required that ${name}`, () => {
    const schema = object({ a: foreign({}, validate) });
    const isRequired = (io: "input" | "output") =>
      toJSONSchema(schema, { io }).required !== undefined;
    assertEquals([isRequired("input"), isRequired("output")], [input, output]);
  });
}
