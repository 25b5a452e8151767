// Writes checks as keywords of JSON Schema. What has no keyword is left out:
// the description then takes more than the schema.

import type { Node } from "./_node.ts";
import type { JSONSchema } from "./json_schema.ts";

type Params = Readonly<Record<string, unknown>>;

const KEYWORDS: Readonly<
  Record<string, (params: Params, isList: boolean) => JSONSchema>
> = {
  email: () => ({ format: "email" }),
  ends_with: ({ text }) => ({ pattern: `${escape(text)}$` }),
  hostname: () => ({ format: "hostname" }),
  includes: ({ text }) => ({ pattern: escape(text) }),
  integer: () => ({
    type: "integer",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  ip: ({ version }) =>
    version === undefined
      ? { anyOf: [{ format: "ipv4" }, { format: "ipv6" }] }
      : { format: `ipv${version}` },
  iso_date: () => ({ format: "date" }),
  iso_date_time: () => ({ format: "date-time" }),
  length: ({ length }, isList) =>
    isList
      ? { minItems: length, maxItems: length }
      : { minLength: length, maxLength: length },
  max: ({ max }) => ({ maximum: max }),
  max_length: ({ max }, isList) =>
    isList ? { maxItems: max } : { maxLength: max },
  min: ({ min }) => ({ minimum: min }),
  min_length: ({ min }, isList) =>
    isList ? { minItems: min } : { minLength: min },
  multiple_of: ({ step }) => ({ multipleOf: step }),
  pattern: ({ pattern, flags }) =>
    isPortable(String(pattern), flags) ? { pattern } : {},
  starts_with: ({ text }) => ({ pattern: `^${escape(text)}` }),
  url: () => ({ format: "uri" }),
  uuid: () => ({ format: "uuid" }),
};

/** Adds the checks of a schema to its description. */
export function writeChecks(node: Node, schema: JSONSchema): JSONSchema {
  const isList = schema.type === "array";
  let result = schema;
  for (const { code, params } of node.checks) {
    const keywords = KEYWORDS[code]?.(params, isList) ?? {};
    result = merge(result, keywords);
  }
  return result;
}

/** Puts keywords together; those that are there already go beside. */
function merge(schema: JSONSchema, keywords: JSONSchema): JSONSchema {
  const isNew = Object.keys(keywords).every((key) =>
    !(key in schema) || key === "type"
  );
  if (isNew) return { ...schema, ...keywords };
  const { allOf = [] } = schema as { allOf?: readonly JSONSchema[] };
  return { ...schema, allOf: [...allOf, keywords] };
}

/** Whether an expression is the same in Unicode mode, which has no flags. */
function isPortable(pattern: string, flags: unknown): boolean {
  if (flags !== undefined && flags !== "u") return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function escape(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
