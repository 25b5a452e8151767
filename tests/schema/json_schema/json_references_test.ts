import {
  array,
  lazy,
  object,
  type Schema,
  string,
  toJSONSchema,
} from "@gatehouse/web/data-schema";
import { maxLength } from "@gatehouse/web/data-schema/checks";
import { assertEquals, assertThrows } from "@std/assert";
import { foreign, refused, text } from "./_schemas.ts";

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

Deno.test("toJSONSchema() keeps checks next to a reference", () => {
  const Name = lazy(() => string()).pipe(maxLength(2));
  const { allOf } = toJSONSchema(Name, { target: "draft-07" });
  assertEquals(allOf, [
    { $ref: "#/definitions/schema0" },
    { maxLength: 2, maxItems: 2 },
  ]);
});

Deno.test("toJSONSchema() moves the references of self-describing parts along", () => {
  const Part = foreign({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      self: { $ref: "#" },
      name: { $ref: "#/$defs/name" },
      $ref: { type: "string" },
      default: { $ref: "#anchor" },
      other: { $ref: "https://schemas.example/other#/a" },
    },
    default: { $ref: "#" },
    $defs: { name: { type: "string", const: { $ref: "#" } } },
  }, refused);
  const described = toJSONSchema(object({ a: Part, b: array(Part) }));
  const base = "#/$defs/schema0";
  assertEquals(described, {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      a: { $ref: base },
      b: { type: "array", items: { $ref: base } },
    },
    required: ["a", "b"],
    $defs: {
      schema0: {
        type: "object",
        properties: {
          self: { $ref: base },
          name: { $ref: `${base}/$defs/name` },
          $ref: { type: "string" },
          default: { $ref: "#anchor" },
          other: { $ref: "https://schemas.example/other#/a" },
        },
        default: { $ref: "#" },
        $defs: { name: { type: "string", const: { $ref: "#" } } },
      },
    },
  });
});

Deno.test("toJSONSchema() puts parts without references in place, without $schema", () => {
  const $schema = "http://json-schema.org/draft-07/schema#";
  const Part = foreign({ $schema, type: "string" }, refused);
  assertEquals(toJSONSchema(object({ a: Part }), { target: "draft-07" }), {
    $schema,
    type: "object",
    properties: { a: text },
    required: ["a"],
  });
});

Deno.test("toJSONSchema() rejects self-describing parts with references in OpenAPI 3.0", () => {
  const Part = foreign({ items: { $ref: "#" } }, refused);
  const options = { target: "openapi-3.0" } as const;
  assertThrows(() => toJSONSchema(object({ a: Part }), options), TypeError);
  const onUnsupported = () => {};
  assertEquals(
    toJSONSchema(object({ a: Part }), { ...options, onUnsupported }).properties,
    { a: {} },
  );
});
