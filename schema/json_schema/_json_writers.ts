// Writes schemas as JSON Schema, with one function for each type of schema.

import { writeChecks } from "./_json_checks.ts";
import { copyPlain, isPlain } from "../copy.ts";
import { mayBeMissing } from "./_json_presence.ts";
import { relocate } from "./_json_references.ts";
import { innerOf, type Node, toNode, type Wrapper } from "../node.ts";
import type {
  JSONSchema,
  JSONSchemaOptions,
  JSONSchemaTarget,
  StandardJSONSchemaProps,
} from "./json_schema.ts";
import { type LazyParts, resolveLazy } from "../validators/lazy.ts";
import type { ObjectPlan } from "../validators/object.ts";
import type { Entry } from "../validators/record.ts";
import type { FormField } from "../forms/form_fields.ts";
import type { FieldPlan } from "../forms/form_object.ts";
import type { StandardSchemaV1 } from "../standard_schema.ts";
import type { UnionParts } from "../validators/union.ts";
import type { VariantParts } from "../validators/variant.ts";

/** The state of an export. */
export interface Writing {
  readonly target: JSONSchemaTarget;
  readonly io: "input" | "output";
  readonly wire: "json" | "strings";
  readonly onUnsupported: JSONSchemaOptions["onUnsupported"];
  /** The names of the definitions, by schema. */
  readonly names: Map<unknown, string>;
  readonly definitions: Record<string, JSONSchema>;
  /** The path of the part in the value. */
  readonly path: string[];
}

/** Returns the JSON Schema of a schema with its checks. */
export function writeSchema(node: Node, writing: Writing): JSONSchema {
  const { name } = node.type;
  const write = WRITERS[name] ?? (() => unsupported(name, writing));
  const schema = write(node, writing);
  // Checks after a transform do not apply to the input.
  const isChanged = writing.io === "input" && mayChange(innerOf(node));
  return isChanged ? schema : writeChecks(node, schema);
}

/** Returns the JSON Schema of a part of the value. */
function writePart(key: string, node: Node, writing: Writing): JSONSchema {
  writing.path.push(key);
  const schema = writeSchema(node, writing);
  writing.path.pop();
  return schema;
}

/** Returns `true` if a schema's output may differ from its input. */
function mayChange(node: Node | undefined): boolean {
  if (!node) return false;
  const { parts, type } = node;
  switch (type.name) {
    case "coerced":
    case "transform":
    case "value":
      return true;
    case "intersect":
      return (parts as readonly Node[]).some(mayChange);
    case "union":
      return (parts as UnionParts).nodes.some(mayChange);
    case "variant":
      return [...(parts as VariantParts).nodes.values()].some(mayChange);
    case "lazy":
      return mayChange(resolveLazy(parts as LazyParts));
  }
  return mayChange(innerOf(node));
}

/** Lets the caller describe a part or leave it out. Throws otherwise. */
function unsupported(
  type: string,
  { onUnsupported, path, target }: Writing,
  reason = `not supported in ${target}`,
): JSONSchema {
  if (onUnsupported) return onUnsupported({ type, path: [...path] }) ?? {};
  const place = path.length > 0 ? ` at "${path.join(".")}"` : "";
  throw new TypeError(`Cannot describe schema "${type}"${place}: ${reason}`);
}

type Writer = (node: Node, writing: Writing) => JSONSchema;

const WRITERS: Readonly<Record<string, Writer>> = {
  any: () => ({}),
  array: (node, writing) => ({
    type: "array",
    items: writePart("*", node.parts as Node, writing),
  }),
  boolean: () => ({ type: "boolean" }),
  transform: (node, writing) =>
    writing.io === "input"
      ? writeInner(node, writing)
      : unsupported("transform", writing),
  coerced: writeCoerced,
  defaulted: writeDefault,
  enum: writeEnum,
  form: writeForm,
  instance: writeInstance,
  value: writeForeign,
  intersect: (node, writing) => ({ allOf: writeAll(node, writing) }),
  lazy: writeLazy,
  loose: writeInner,
  nullable: writeNullable,
  number: () => ({ type: "number" }),
  object: writeObject,
  optional: writeInner,
  present: writeInner,
  record: writeRecord,
  step: writeInner,
  strict: (node, writing) => ({
    ...writeInner(node, writing),
    additionalProperties: false,
  }),
  string: () => ({ type: "string" }),
  tuple: writeTuple,
  union: (node, writing) => ({
    anyOf: (node.parts as UnionParts).nodes.map((option) =>
      writeSchema(option, writing)
    ),
  }),
  variant: writeVariant,
};

function writeInner(node: Node, writing: Writing): JSONSchema {
  return writeSchema(innerOf(node)!, writing);
}

function writeAll(node: Node, writing: Writing): readonly JSONSchema[] {
  return (node.parts as readonly Node[]).map((part) =>
    writeSchema(part, writing)
  );
}

function writeCoerced(node: Node, writing: Writing): JSONSchema {
  if (writing.io === "output" || writing.wire === "strings") {
    return writeInner(node, writing);
  }
  const types = ["string", "number", "boolean"];
  return writing.target === "openapi-3.0"
    ? { anyOf: types.map((type) => ({ type })) }
    : { type: types };
}

function writeDefault(node: Node, writing: Writing): JSONSchema {
  const { arg } = node.parts as Wrapper;
  const inner = writeInner(node, writing);
  return isJSON(arg) ? { ...inner, default: copyPlain(arg) } : inner;
}

/** Returns `true` if JSON can express the value in full. */
function isJSON(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJSON);
  if (isPlain(value)) return Object.values(value).every(isJSON);
  return value === null || ["string", "boolean"].includes(typeof value);
}

function writeEnum(node: Node, writing: Writing): JSONSchema {
  const values = (node.parts as readonly unknown[])
    .filter((value) => value !== undefined);
  const odd = values.find((value) => !isJSON(value));
  if (odd !== undefined) return unsupported(String(odd), writing);
  if (values.length === 0) return NOTHING;
  return values.length === 1 && writing.target !== "openapi-3.0"
    ? { const: values[0] }
    : { enum: values };
}

/** Accepts no JSON value. */
const NOTHING: JSONSchema = { not: {} };

function writeNullable(node: Node, writing: Writing): JSONSchema {
  const inner = writeInner(node, writing);
  if (writing.target !== "openapi-3.0") {
    return { anyOf: [inner, { type: "null" }] };
  }
  // `nullable` has a meaning only next to `type` (OpenAPI 3.0.3, 4.7.24.1).
  return "type" in inner
    ? { ...inner, nullable: true }
    : { anyOf: [inner, { enum: [null] }] };
}

function writeObject(node: Node, writing: Writing): JSONSchema {
  const { keys, nodes } = node.parts as ObjectPlan;
  const required = keys.filter((_, slot) =>
    !mayBeMissing(nodes[slot]!, writing.io)
  );
  const properties = Object.fromEntries(
    keys.map((key, slot) => [key, writePart(key, nodes[slot]!, writing)]),
  );
  return {
    type: "object",
    properties,
    ...required.length > 0 ? { required } : {},
  };
}

/**
 * Describes the fields of a form by their names, including those of nested
 * forms.
 */
function writeForm(node: Node, writing: Writing): JSONSchema {
  if (writing.wire !== "strings") return unsupported("form", writing);
  const properties: Record<string, JSONSchema> = {};
  const required: string[] = [];
  const addFields = (plans: readonly FieldPlan[], start: string) => {
    for (const { absent, inner, kind, name, property } of plans) {
      const field = start + name;
      if (kind === "form") {
        addFields(inner!, `${field}.`);
        continue;
      }
      const schema = toNode((property as FormField<StandardSchemaV1>).schema);
      properties[field] = inner === undefined
        ? writePart(field, schema, writing)
        : unsupported("array of forms", writing);
      // A missing array is empty, and a missing checkbox is false.
      const isMissable = kind === "fields" || kind === "files" ||
        absent !== undefined || mayBeMissing(schema, "input");
      if (!isMissable) required.push(field);
    }
  };
  addFields(node.parts as readonly FieldPlan[], "");
  return {
    type: "object",
    properties,
    ...required.length > 0 ? { required } : {},
  };
}

function writeInstance(node: Node, writing: Writing): JSONSchema {
  return writing.wire === "strings" && node.parts === File
    ? { type: "string", contentMediaType: "application/octet-stream" }
    : unsupported("instance", writing);
}

function writeRecord(node: Node, writing: Writing): JSONSchema {
  const { key, value } = node.parts as Entry;
  const { type: _, ...names } = writeSchema(key, writing);
  const isFree = Object.keys(names).length === 0;
  return {
    type: "object",
    ...isFree || writing.target === "openapi-3.0"
      ? {}
      : { propertyNames: names },
    additionalProperties: writePart("*", value, writing),
  };
}

function writeTuple(node: Node, writing: Writing): JSONSchema {
  const { target } = writing;
  if (target === "openapi-3.0") return unsupported("tuple", writing);
  const items = (node.parts as readonly Node[]).map((item, index) =>
    writePart(String(index), item, writing)
  );
  // Both versions forbid an empty array of items.
  if (items.length === 0) return { type: "array", maxItems: 0 };
  const sizes = { minItems: items.length, maxItems: items.length };
  return target === "draft-07"
    ? { type: "array", items, additionalItems: false, ...sizes }
    : { type: "array", prefixItems: items, items: false, ...sizes };
}

function writeVariant(node: Node, writing: Writing): JSONSchema {
  const { key, nodes } = node.parts as VariantParts;
  const anyOf = [...nodes].map(([name, option]) => {
    const schema = writeSchema(option, writing);
    // The output lacks the key if the schema of the option does not name it.
    return writing.io === "output" ? schema : {
      allOf: [
        { properties: { [key]: { enum: [name] } }, required: [key] },
        schema,
      ],
    };
  });
  return { anyOf };
}

function writeLazy(lazy: Node, writing: Writing): JSONSchema {
  if (writing.target === "openapi-3.0") return unsupported("lazy", writing);
  const node = resolveLazy(lazy.parts as LazyParts);
  return writeReference(node, writing, () => writeSchema(node, writing));
}

/** Refers to a definition, which is written at the first reference. */
function writeReference(
  owner: unknown,
  { definitions, names, target }: Writing,
  write: (place: string) => JSONSchema,
): JSONSchema {
  const folder = target === "draft-07" ? "definitions" : "$defs";
  let name = names.get(owner);
  const $ref = `#/${folder}/${name ?? `schema${names.size}`}`;
  if (name === undefined) {
    name = `schema${names.size}`;
    names.set(owner, name);
    definitions[name] = write($ref);
  }
  return { $ref };
}

type Converters = Partial<StandardJSONSchemaProps>;

function writeForeign(node: Node, writing: Writing): JSONSchema {
  const { io, target } = writing;
  const standard = node.parts as Converters;
  const { jsonSchema, vendor = "unknown" } = standard;
  const type = `schema of ${vendor}`;
  if (!jsonSchema) {
    return unsupported(type, writing, "it has no JSON Schema");
  }
  let document: JSONSchema;
  try {
    document = jsonSchema[io]({ target });
  } catch (error) {
    return unsupported(type, writing, String((error as Error)?.message));
  }
  const part = relocate(document, "#");
  const hasReferences =
    JSON.stringify(part) !== JSON.stringify(relocate(document, ""));
  if (!hasReferences) return part;
  return target === "openapi-3.0"
    ? unsupported(type, writing, "it refers to itself")
    : writeReference(standard, writing, (place) => relocate(document, place));
}
