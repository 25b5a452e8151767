// Writes checks as JSON Schema keywords. A check without a keyword is left out,
// so the export accepts more values than the schema.

import type { Node } from "../node.ts";
import type { JSONSchema } from "./json_schema.ts";

type Params = Readonly<Record<string, unknown>>;

const KEYWORDS: Readonly<Record<string, (params: Params) => JSONSchema>> = {
  email: () => ({ format: "email" }),
  ends_with: ({ text }) => patternOf(text, "", "$"),
  hostname: () => ({ format: "hostname" }),
  includes: ({ text }) => patternOf(text, "", ""),
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
  length: ({ length }) => sizes(length, ["min", "max"]),
  max: ({ max }) => Number.isFinite(max) ? { maximum: max } : {},
  max_length: ({ max }) => sizes(max, ["max"]),
  min: ({ min }) => Number.isFinite(min) ? { minimum: min } : {},
  min_length: ({ min }) => sizes(min, ["min"]),
  multiple_of: ({ step }) => ({ multipleOf: step }),
  pattern: ({ pattern, flags }) =>
    isPortable(String(pattern), flags) ? { pattern } : {},
  starts_with: ({ text }) => patternOf(text, "^", ""),
  // A `format: "uri"` would be too strict: `URL` also accepts letters of other
  // scripts.
  url: ({ schemes }) => ({ pattern: urlPattern(schemes as string[]) }),
  uuid: () => ({ format: "uuid" }),
};

/** Adds the checks of a schema to its JSON Schema. */
export function writeChecks(node: Node, schema: JSONSchema): JSONSchema {
  let result = schema;
  for (const { code, params } of node.checks) {
    result = mergeKeywords(
      result,
      keywordsFor(schema, KEYWORDS[code]?.(params) ?? {}),
    );
  }
  return result;
}

/** The keywords that say nothing about a type. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  array: /Length$/,
  string: /Items$/,
};

/** Removes the keywords of arrays from strings, and those of strings from arrays. */
function keywordsFor({ type }: JSONSchema, keywords: JSONSchema): JSONSchema {
  const foreign = FOREIGN[String(type)];
  if (!foreign) return keywords;
  const entries = Object.entries(keywords);
  return Object.fromEntries(entries.filter(([key]) => !foreign.test(key)));
}

/** Adds keywords. Keywords that are already present go to `allOf`. */
function mergeKeywords(schema: JSONSchema, keywords: JSONSchema): JSONSchema {
  if (Object.keys(keywords).length === 0) return schema;
  // Draft 7 ignores all keywords next to a reference.
  if ("$ref" in schema) return { allOf: [schema, keywords] };
  const isNew = Object.keys(keywords).every((key) =>
    !(key in schema) || key === "type" && schema.type === "number"
  );
  if (isNew) return { ...schema, ...keywords };
  const { allOf = [] } = schema as { allOf?: readonly JSONSchema[] };
  return { ...schema, allOf: [...allOf, keywords] };
}

/** Returns the keywords for a size, if JSON Schema allows it. */
function sizes(
  size: unknown,
  bounds: readonly ("min" | "max")[],
): JSONSchema {
  if (!Number.isSafeInteger(size) || size as number < 0) return {};
  return Object.fromEntries(
    bounds.flatMap((
      bound,
    ) => [[`${bound}Length`, size], [`${bound}Items`, size]]),
  );
}

function patternOf(text: unknown, start: string, end: string): JSONSchema {
  // In Unicode mode, half a surrogate pair never matches inside a pair.
  if (/\p{Surrogate}/u.test(String(text))) return {};
  return { pattern: `${start}${escape(text)}${end}` };
}

/** Returns the pattern of URLs with these schemes, in either case. */
function urlPattern(schemes: readonly string[]): string {
  const names = schemes.map((scheme) =>
    escape(scheme).replace(
      /[a-z]/gi,
      (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`,
    )
  );
  return `^(?:${names.join("|")}):`;
}

/**
 * Parts of an expression that count UTF-16 code units, or mean something else,
 * in comparison with the Unicode mode that JSON Schema requires.
 */
const UNPORTABLE =
  /\.|\[\^|\\[DSWPp]|\\u(?![\da-fA-F]{4})|\\u[dD][89a-fA-F]|[\ud800-\udfff]/;

/** Returns `true` if an expression means the same in Unicode mode. */
function isPortable(pattern: string, flags: unknown): boolean {
  if (flags !== undefined && flags !== "u") return false;
  try {
    new RegExp(pattern, "u");
  } catch {
    return false;
  }
  if (flags === "u") return true;
  const plain = pattern
    .replace(/\\[^a-z]/gi, "_")
    .replace(/\[(?!\^)[^\]]*\]/g, (set) => set.replaceAll(".", "_"));
  return !UNPORTABLE.test(plain);
}

function escape(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
