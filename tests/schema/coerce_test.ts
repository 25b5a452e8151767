import { assertEquals } from "@std/assert";
import { optional, parseSafe } from "@gatehouse/web/data-schema";
import type { StandardSchemaV1 } from "@gatehouse/web/data-schema";
import { max, min } from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";

const rows: [string, StandardSchemaV1, unknown, unknown][] = [
  ["string()", coerce.string(), "a", "a"],
  ["string()", coerce.string(), 1.5, "1.5"],
  ["string()", coerce.string(), 7n, "7"],
  ["string()", coerce.string(), false, "false"],
  ["number()", coerce.number(), 1, 1],
  ["number()", coerce.number(), "1", 1],
  ["number()", coerce.number(), " -1.50 ", -1.5],
  ["number()", coerce.number(), "+.5e3", 500],
  ["number()", coerce.number().pipe(min(1), max(3)), "2", 2],
  ["bigint()", coerce.bigint(), "-12", -12n],
  ["bigint()", coerce.bigint(), 12, 12n],
  ["bigint()", coerce.bigint(), 12n, 12n],
  ["boolean()", coerce.boolean(), true, true],
  ["boolean()", coerce.boolean(), "on", true],
  ["boolean()", coerce.boolean(), "TRUE", true],
  ["boolean()", coerce.boolean(), "0", false],
  ["boolean()", coerce.boolean(), "no", false],
  ["date()", coerce.date(), "2026-11-20", new Date(Date.UTC(2026, 10, 20))],
  ["date()", coerce.date(), 0, new Date(0)],
  ["date()", coerce.date(), "1970-01-01T01:00:00+01:00", new Date(0)],
  ["date()", coerce.date(), "1970-01-01T00:00", new Date(0)],
  ["date()", coerce.date(), "1970-01-01T20:00", new Date(72_000_000)],
  ["date()", coerce.date(), "1970-01-01T00:00:01.5", new Date(1500)],
  ["optional number()", optional(coerce.number()), undefined, undefined],
];

for (const [name, schema, input, output] of rows) {
  Deno.test(`coerce: ${name} reads ${typeof input} ${String(input)}`, () => {
    assertEquals(parseSafe(schema, input), { success: true, value: output });
  });
}

const refused: [string, StandardSchemaV1, readonly unknown[]][] = [
  ["string()", coerce.string(), [null, undefined, {}, [], Symbol("a")]],
  ["number()", coerce.number(), [
    "",
    " ",
    "a",
    "1a",
    "0x10",
    "0b1",
    "Infinity",
    "NaN",
    "1e999",
    "1,5",
    "1_000",
    "１",
    null,
    true,
    [],
    ["1"],
    NaN,
    new Date(0),
  ]],
  ["bigint()", coerce.bigint(), ["", "1.5", "1n", "0x1", 1.5, 2 ** 53, null]],
  ["boolean()", coerce.boolean(), [
    "",
    "maybe",
    1,
    0,
    null,
    "truely",
    "on         x",
    "false    y",
  ]],
  ["date()", coerce.date(), [
    "",
    "2026",
    "20.11.2026",
    "2026-11-20T24:00",
    "2025-02-29",
    "November 20, 2026",
    NaN,
    8.64e15 + 1,
    null,
    true,
  ]],
];

for (const [name, schema, values] of refused) {
  Deno.test(`coerce: ${name} rejects other values`, () => {
    const passing = values.filter((value) => parseSafe(schema, value).success);
    assertEquals(passing, []);
  });
}

Deno.test("coerce: 1 MB of digits takes no time", () => {
  const schemas = [
    coerce.number(),
    coerce.bigint(),
    coerce.boolean(),
    coerce.date(),
  ];
  for (
    const text of ["1".repeat(1e6), " ".repeat(1e6), `${"1".repeat(1e6)}e`]
  ) {
    for (const schema of schemas) {
      assertEquals(parseSafe(schema, text).success, false);
    }
  }
});
