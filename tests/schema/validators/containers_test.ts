import {
  array,
  enum_,
  intersect,
  literal,
  map,
  number,
  object,
  parse,
  parseSafe,
  record,
  set,
  type StandardSchemaV1,
  string,
  tuple,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { assertEquals, assertStrictEquals } from "@std/assert";

const Trimmed = string().transform((text) => text.trim());

const unchanged: [string, StandardSchemaV1, unknown][] = [
  ["array", array(string()), ["a", "b"]],
  ["empty array", array(string()), []],
  ["tuple", tuple([string(), number()]), ["a", 1]],
  ["record", record(string(), number()), { a: 1, b: 2 }],
  ["map", map(string(), number()), new Map([["a", 1]])],
  ["set", set(string()), new Set(["a"])],
  ["union", union([string(), array(number())]), [1, 2]],
  [
    "variant",
    variant("type", { a: object({ type: literal("a"), n: number() }) }),
    { type: "a", n: 1 },
  ],
  [
    "intersect",
    intersect(array(number()), array(number()).pipe(minLength(1))),
    [1],
  ],
];

for (const [name, schema, value] of unchanged) {
  Deno.test(`parse() returns the same ${name} if nothing changes`, () => {
    assertStrictEquals(parse(schema, value), value);
  });
}

const changed: [string, StandardSchemaV1, unknown, unknown][] = [
  ["array", array(Trimmed), ["a", " b "], ["a", "b"]],
  ["tuple", tuple([number(), Trimmed]), [1, " b "], [1, "b"]],
  ["record", record(Trimmed, Trimmed), { " a ": " b " }, { a: "b" }],
  [
    "map",
    map(Trimmed, Trimmed),
    new Map([[" a", "b "]]),
    new Map([["a", "b"]]),
  ],
  ["set", set(Trimmed), new Set([" a", "a"]), new Set(["a"])],
];

for (const [name, schema, value, expected] of changed) {
  Deno.test(`parse() returns a new ${name} if something changes`, () => {
    const before = structuredClone(value);
    assertEquals(parse(schema, value), expected);
    assertEquals(value, before);
  });
}

const wrong: [string, StandardSchemaV1, unknown, [string, PropertyKey[]][]][] =
  [
    ["array item", array(string()), ["a", 1], [["type", [1]]]],
    ["array", array(string()), { 0: "a" }, [["type", []]]],
    ["sparse array", array(string()), [, "a"], [["required", [0]]]],
    ["long tuple", tuple([string()]), ["a", "b"], [["length", []]]],
    ["tuple item", tuple([string(), number()]), [1, 1], [["type", [0]]]],
    ["record value", record(string(), number()), { a: "b" }, [["type", ["a"]]]],
    [
      "record key",
      record(string().pipe(maxLength(1)), number()),
      { ab: 1 },
      [["max_length", ["ab"]]],
    ],
    ["map value", map(string(), number()), new Map([["a", "b"]]), [["type", [
      0,
    ]]]],
    ["map", map(string(), number()), {}, [["type", []]]],
    ["set value", set(number()), new Set([1, "b"]), [["type", [1]]]],
    ["union", union([string(), number()]), true, [["union", []]]],
    [
      "union member that comes near",
      union([string(), object({ a: number() })]),
      { a: "b" },
      [["type", ["a"]]],
    ],
    [
      "union with two members that come near",
      union([object({ a: number() }), object({ b: number() })]),
      {},
      [["union", []]],
    ],
    ["missing union", union([string(), number()]), undefined, [[
      "required",
      [],
    ]]],
    ["enum", enum_(["a", "b"]), "c", [["type", []]]],
    [
      "variant's name",
      variant("type", { a: object({}) }),
      { type: "b" },
      [["variant", ["type"]]],
    ],
    ["null for a variant", variant("type", {}), null, [["type", []]]],
    ["array for a variant", variant("type", {}), [], [["type", []]]],
    [
      "variant without a name",
      variant("type", { a: object({}) }),
      {},
      [["required", ["type"]]],
    ],
    [
      "variant",
      variant("type", { a: object({ n: number() }) }),
      { type: "a", n: "1" },
      [["type", ["n"]]],
    ],
    [
      "both sides of intersect",
      intersect(object({ a: string() }), object({ b: string() })),
      {},
      [["required", ["a"]], ["required", ["b"]]],
    ],
    [
      "contradiction",
      intersect(string(), Trimmed),
      " a ",
      [["conflict", []]],
    ],
  ];

for (const [name, schema, value, expected] of wrong) {
  Deno.test(`parseSafe() returns the issues of a ${name}`, () => {
    const result = parseSafe(schema, value);
    const issues = result.success ? [] : result.issues;
    assertEquals(issues.map(({ code, path }) => [code, path]), expected);
  });
}
