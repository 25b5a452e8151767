// Writes schemas as JSON Schema: one function for each sort of schema.

import { writeChecks } from "./_json_checks.ts";
import { copyPlain } from "./_copy.ts";
import { hasSort, innerOf, type Node } from "./_node.ts";
import { givesMissing, takesMissing } from "./_json_presence.ts";
import type { JSONSchema, JSONSchemaTarget } from "./json_schema.ts";
import { type LazyParts, resolve } from "./lazy.ts";
import type { ObjectPlan } from "./object.ts";
import type { Entry } from "./record.ts";
import type { UnionParts } from "./union.ts";
import type { VariantParts } from "./variant.ts";

/** A description in the making. */
export interface Writing {
  readonly target: JSONSchemaTarget;
  readonly io: "input" | "output";
  /** Recursive schemas, with their names. */
  readonly names: Map<Node, string>;
  readonly definitions: Record<string, JSONSchema>;
}

/** Describes a schema with its checks. */
export function describe(node: Node, writing: Writing): JSONSchema {
  const write = WRITERS[node.sort.name];
  if (write === undefined) return refuse(node.sort.name);
  const schema = write(node, writing);
  // Checks behind a change say nothing of what comes in.
  const isChanged = writing.io === "input" &&
    hasSort(innerOf(node), ["transform", "coerced"]);
  return isChanged ? schema : writeChecks(node, schema);
}

function refuse(name: string): never {
  throw new TypeError(`Cannot describe "${name}" as JSON Schema`);
}

type Writer = (node: Node, writing: Writing) => JSONSchema;

const WRITERS: Readonly<Record<string, Writer>> = {
  any: () => ({}),
  array: (node, writing) => ({
    type: "array",
    items: describe(node.parts as Node, writing),
  }),
  boolean: () => ({ type: "boolean" }),
  transform: (node, writing) =>
    writing.io === "input" ? inside(node, writing) : refuse("transform"),
  coerced: writeCoerced,
  defaulted: writeDefault,
  enum: writeEnum,
  value: writeForeign,
  intersect: (node, writing) => ({ allOf: all(node, writing) }),
  lazy: writeLazy,
  loose: inside,
  nullable: writeNullable,
  number: () => ({ type: "number" }),
  object: writeObject,
  optional: inside,
  record: writeRecord,
  step: inside,
  strict: (node, writing) => ({
    ...inside(node, writing),
    additionalProperties: false,
  }),
  string: () => ({ type: "string" }),
  tuple: writeTuple,
  union: (node, writing) => ({
    anyOf: (node.parts as UnionParts).nodes.map((option) =>
      describe(option, writing)
    ),
  }),
  variant: writeVariant,
};

function inside(node: Node, writing: Writing): JSONSchema {
  return describe(innerOf(node)!, writing);
}

function all(node: Node, writing: Writing): readonly JSONSchema[] {
  return (node.parts as readonly Node[]).map((part) => describe(part, writing));
}

function writeCoerced(node: Node, writing: Writing): JSONSchema {
  if (writing.io === "output") return inside(node, writing);
  const types = ["string", "number", "boolean"];
  return writing.target === "openapi-3.0"
    ? { anyOf: types.map((type) => ({ type })) }
    : { type: types };
}

function writeDefault(node: Node, writing: Writing): JSONSchema {
  const { act } = node.parts as { act: unknown };
  const inner = inside(node, writing);
  const isData = typeof act !== "function" && typeof act !== "bigint" &&
    act !== undefined && !(act instanceof Date);
  return isData ? { ...inner, default: copyPlain(act) } : inner;
}

function writeEnum(node: Node, { target }: Writing): JSONSchema {
  const values = (node.parts as readonly unknown[])
    .filter((value) => value !== undefined);
  for (const value of values) {
    const isData = typeof value !== "bigint" &&
      (typeof value !== "number" || Number.isFinite(value));
    if (!isData) refuse(String(value));
  }
  return values.length === 1 && target !== "openapi-3.0"
    ? { const: values[0] }
    : { enum: values };
}

function writeNullable(node: Node, writing: Writing): JSONSchema {
  const inner = inside(node, writing);
  if (writing.target !== "openapi-3.0") {
    return { anyOf: [inner, { type: "null" }] };
  }
  // Beside a type alone `nullable` says something (OpenAPI 3.0.3, 4.7.24.1).
  return "type" in inner
    ? { ...inner, nullable: true }
    : { anyOf: [inner, { enum: [null] }] };
}

function writeObject(node: Node, writing: Writing): JSONSchema {
  const { keys, nodes } = node.parts as ObjectPlan;
  const mayLack = writing.io === "input" ? takesMissing : givesMissing;
  const required = keys.filter((_, slot) => !mayLack(nodes[slot]!));
  const properties = Object.fromEntries(
    keys.map((key, slot) => [key, describe(nodes[slot]!, writing)]),
  );
  return {
    type: "object",
    properties,
    ...required.length > 0 ? { required } : {},
  };
}

function writeRecord(node: Node, writing: Writing): JSONSchema {
  const { key, value } = node.parts as Entry;
  const { type: _, ...names } = describe(key, writing);
  const isFree = Object.keys(names).length === 0;
  return {
    type: "object",
    ...isFree || writing.target === "openapi-3.0"
      ? {}
      : { propertyNames: names },
    additionalProperties: describe(value, writing),
  };
}

function writeTuple(node: Node, writing: Writing): JSONSchema {
  const { target } = writing;
  if (target === "openapi-3.0") return refuse("tuple");
  const items = all(node, writing);
  const sizes = { minItems: items.length, maxItems: items.length };
  return target === "draft-07"
    ? { type: "array", items, additionalItems: false, ...sizes }
    : { type: "array", prefixItems: items, items: false, ...sizes };
}

function writeVariant(node: Node, writing: Writing): JSONSchema {
  const { key, nodes } = node.parts as VariantParts;
  const anyOf = [...nodes].map(([name, node]) => ({
    allOf: [
      { properties: { [key]: { enum: [name] } }, required: [key] },
      describe(node, writing),
    ],
  }));
  return { anyOf };
}

function writeLazy(lazy: Node, writing: Writing): JSONSchema {
  const { definitions, names, target } = writing;
  if (target === "openapi-3.0") return refuse("lazy");
  const node = resolve(lazy.parts as LazyParts);
  let name = names.get(node);
  if (name === undefined) {
    name = `schema${names.size}`;
    names.set(node, name);
    definitions[name] = describe(node, writing);
  }
  const place = target === "draft-07" ? "definitions" : "$defs";
  return { $ref: `#/${place}/${name}` };
}

function writeForeign(node: Node, { io, target }: Writing): JSONSchema {
  const { jsonSchema } = node.parts as {
    jsonSchema?: Record<"input" | "output", (options: unknown) => JSONSchema>;
  };
  return jsonSchema?.[io]({ target }) ?? refuse("schema of another library");
}
