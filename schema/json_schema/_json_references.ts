// Moves other schemas' JSON Schema documents into one document.

import type { JSONSchema } from "./json_schema.ts";

/** Keywords whose value is data, in which `$ref` means nothing. */
const DATA = /* @__PURE__ */ new Set([
  "const",
  "default",
  "enum",
  "example",
  "examples",
]);

/** Keywords whose value is an object of schemas, under names of any kind. */
const NAMED = /* @__PURE__ */ new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/**
 * Returns a copy of a document in which references start at `base`, the
 * document's new place, without `$schema`, which only a root may have.
 */
export function relocate(document: JSONSchema, base: string): JSONSchema {
  return relocateSchema(document, base) as JSONSchema;
}

function relocateSchema(schema: unknown, base: string): unknown {
  if (Array.isArray(schema)) {
    return schema.map((part) => relocateSchema(part, base));
  }
  return mapEntries(schema, (value, keyword) => {
    if (keyword === "$ref") return relocateReference(value, base);
    if (DATA.has(keyword)) return value;
    if (NAMED.has(keyword)) {
      return mapEntries(value, (named) => relocateSchema(named, base));
    }
    return relocateSchema(value, base);
  }, "$schema");
}

/** Changes `#` and `#/…`. Other references name their document or an anchor. */
function relocateReference(reference: unknown, base: string): unknown {
  return reference === "#" || String(reference).startsWith("#/")
    ? base + String(reference).slice(1)
    : reference;
}

function mapEntries(
  value: unknown,
  change: (value: unknown, key: string) => unknown,
  omitted?: string,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== omitted)
      .map(([key, part]) => [key, change(part, key)]),
  );
}
