// An export never rejects what its parser accepts. It accepts more only where a
// reason is written here: JSON Schema has no keyword for the rest.
import { assertEquals, assertNotEquals } from "@std/assert";
import {
  any,
  array,
  boolean,
  defaulted,
  enum_,
  intersect,
  type JSONSchema,
  literal,
  looseObject,
  nullable,
  number,
  object,
  optional,
  parseSafe,
  partial,
  picklist,
  record,
  type StandardSchemaV1,
  strictObject,
  string,
  toJSONSchema,
  tuple,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import * as checks from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
import { fullFormats } from "npm:ajv-formats@3.0.1/dist/formats.js";

const text = string();

/** Schemas, and the reason why the export of some accepts more. */
const SUBJECTS: Readonly<Record<string, [StandardSchemaV1, string?]>> = {
  "string()": [text],
  "minLength(2)": [text.pipe(checks.minLength(2))],
  "maxLength(3)": [text.pipe(checks.maxLength(3))],
  "length(1)": [text.pipe(checks.length(1))],
  "startsWith(a)": [text.pipe(checks.startsWith("a"))],
  "endsWith(.)": [text.pipe(checks.endsWith("."))],
  "includes(b)": [text.pipe(checks.includes("b"))],
  "startsWith(half a pair)": [
    text.pipe(checks.startsWith("\ud83d")),
    "half a pair never matches in Unicode mode",
  ],
  "endsWith(half a pair)": [
    text.pipe(checks.endsWith("\ude00")),
    "half a pair never matches in Unicode mode",
  ],
  "pattern(/^..$/)": [
    text.pipe(checks.pattern(/^..$/)),
    '"." counts code units without the flag u',
  ],
  "pattern(/^..$/u)": [text.pipe(checks.pattern(/^..$/u))],
  "pattern(/^A/i)": [
    text.pipe(checks.pattern(/^A/i)),
    "patterns have no flags",
  ],
  "email()": [
    text.pipe(checks.email()),
    "the format allows long local parts and numeric domains",
  ],
  "hostname()": [
    text.pipe(checks.hostname()),
    "the format allows a dot at the end",
  ],
  "ip()": [text.pipe(checks.ip())],
  "ip(4)": [text.pipe(checks.ip({ version: 4 }))],
  "ip(6)": [text.pipe(checks.ip({ version: 6 }))],
  "isoDate()": [text.pipe(checks.isoDate())],
  "isoDateTime()": [
    text.pipe(checks.isoDateTime()),
    "the format allows a space, and more than nine digits",
  ],
  "uuid()": [text.pipe(checks.uuid()), "the format allows urn:uuid:"],
  "url()": [text.pipe(checks.url()), "a pattern can only name the schemes"],
  "url(mailto)": [text.pipe(checks.url({ schemes: ["mailto"] }))],
  "refine()": [
    text.refine((value) => value !== "a"),
    "a function of the application",
  ],
  "transform()": [
    text.transform((value) => value.length).pipe(checks.max(2)),
    "checks of the output",
  ],
  "number()": [number()],
  "min(0), max(3)": [number().pipe(checks.min(0), checks.max(3))],
  "integer()": [number().pipe(checks.integer())],
  "multipleOf(2)": [number().pipe(checks.multipleOf(2))],
  "multipleOf(0.1)": [number().pipe(checks.multipleOf(0.1))],
  "boolean()": [boolean()],
  "literal(null)": [literal(null)],
  "enum_()": [enum_(["a", 1, null])],
  "picklist()": [picklist(["a", "ab"])],
  "any()": [any()],
  "nullable()": [nullable(number())],
  "union()": [union([number(), boolean()])],
  "array()": [array(number()).pipe(checks.maxLength(2))],
  "tuple()": [tuple([number(), text])],
  "record()": [record(text.pipe(checks.maxLength(1)), number())],
  "object()": [object({ a: number(), b: optional(text) })],
  "strictObject()": [strictObject({ a: number(), b: optional(text) })],
  "looseObject()": [looseObject({ a: defaulted(number(), 1) })],
  "partial()": [partial(object({ a: number(), b: text }))],
  "fieldsMatch()": [
    object({ a: number(), b: number() }).pipe(checks.fieldsMatch("a", "b")),
    "it compares two properties",
  ],
  "intersect()": [intersect(object({ a: number() }), object({ b: number() }))],
  "variant()": [variant("a", { x: object({ b: number() }), y: object({}) })],
  "coerce.string()": [coerce.string()],
  "coerce.number()": [coerce.number(), "strings become numbers"],
  "coerce.boolean()": [coerce.boolean(), "strings become booleans"],
};

const STRINGS = [
  "",
  "a",
  "A.",
  "ab",
  "ab.",
  "5",
  "1e3",
  " 5 ",
  "0x10",
  "true",
  "😀",
  "a😀",
  "\ud83d",
  "\ude00",
  "ada@example.com",
  "ada@example.com.",
  "ada@localhost",
  "ada@example.123",
  '"ada b"@example.com',
  `${"a".repeat(65)}@example.com`,
  "example.com",
  "-example.com",
  "example.com.",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(127)}com`,
  "https://example.com/{a}",
  "HTTPS://exämple.com/ü",
  "https:example.com",
  "https://",
  "https://a b/",
  "mailto:ada@example.com",
  "javascript:alert(1)",
  "2026-11-20",
  "2026-02-30",
  "2026-11-20T17:55:48Z",
  "2026-11-20 17:55:48Z",
  "2026-12-31T23:59:60Z",
  "2026-11-20T17:55:48",
  "2026-11-20T17:55:48.1234567890Z",
  "2026-11-20T24:00:00Z",
  "::1",
  "::ffff:192.0.2.1",
  "fe80::1%eth0",
  "1:2:3:4:5:6:7:8:9",
  "192.0.2.1",
  "192.0.2.01",
  "192.0.2.256",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
  "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
];
const VALUES: readonly unknown[] = [
  ...STRINGS,
  ...[0, 1, -1, 2, 3, 0.3, 0.7, 3.5, 1e20, 2 ** 53, -(2 ** 53), 5],
  true,
  false,
  null,
  [],
  [1],
  [1, "a"],
  [1, 2, 3],
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 1, b: 2 },
  { a: 1, b: "b", c: 3 },
  { a: "x", b: 1 },
  { a: "y" },
  { aa: 1 },
];

/** Returns the value that a string of a query stands for, as OpenAPI reads it. */
function valueOf(value: unknown, { type }: JSONSchema): unknown {
  if (typeof value !== "string") return value;
  if (type === "boolean" && /^(?:true|false)$/.test(value)) {
    return value === "true";
  }
  const number = value.trim();
  return type === "number" && /^-?\d+(?:\.\d+)?(?:e\d+)?$/.test(number)
    ? Number(number)
    : value;
}

/** Returns the values on which a validator and the parser differ. */
function differences(
  schema: StandardSchemaV1,
  wire: "json" | "strings",
  values: readonly unknown[],
): { readonly wider: unknown[]; readonly narrower: unknown[] } {
  const document = toJSONSchema(schema, { wire });
  const accepts = new Ajv2020({
    strict: false,
    formats: fullFormats as never,
    ownProperties: true,
    // Otherwise 0.3 is not a multiple of 0.1.
    multipleOfPrecision: 9,
  }).compile(document);
  const wider: unknown[] = [];
  const narrower: unknown[] = [];
  for (const value of values) {
    const read = wire === "strings" ? valueOf(value, document) : value;
    const isAccepted = accepts(read);
    if (isAccepted === parseSafe(schema, value).success) continue;
    (isAccepted ? wider : narrower).push(value);
  }
  return { wider, narrower };
}

for (const [name, [schema, reason]] of Object.entries(SUBJECTS)) {
  const is = reason === undefined ? "exactly" : `wider (${reason})`;
  Deno.test(`toJSONSchema() describes ${name} ${is}`, () => {
    const { wider, narrower } = differences(schema, "json", VALUES);
    assertEquals(narrower, []);
    // A reason without such a value is out of date.
    if (reason === undefined) assertEquals(wider, []);
    else assertNotEquals(wider, []);
  });
}

for (const name of ["string", "number", "boolean"] as const) {
  Deno.test(`toJSONSchema() describes the strings of coerce.${name}() in a query exactly`, () => {
    const schema = coerce[name]();
    assertEquals(differences(schema, "strings", STRINGS), {
      wider: [],
      narrower: [],
    });
  });
}
