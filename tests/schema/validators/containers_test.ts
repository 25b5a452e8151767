import {
  array,
  enum_,
  intersect,
  lazy,
  literal,
  map,
  number,
  object,
  parse,
  parseSafe,
  record,
  type Schema,
  set,
  type StandardSchemaV1,
  string,
  tuple,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import {
  length,
  maxLength,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";

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

Deno.test("array() rejects a long array before it reads the items", () => {
  let count = 0;
  const Item = string().refine(() => ++count > 0);
  const Short = array(Item).pipe(maxLength(3));

  assertEquals(parseSafe(Short, Array(1_000_000).fill("a")).success, false);
  assertEquals(count, 0);
});

Deno.test("array() checks its length after its items", () => {
  const Pair = array(string()).pipe(length(2));
  assertEquals(parseSafe(Pair, ["a"]).success, false);
  assertEquals(parseSafe(Pair, ["a", "b"]).success, true);
  assertEquals(parseSafe(Pair, ["a", 1]).success, false);
});

Deno.test("intersect() merges the outputs of both sides, also nested ones", () => {
  const Both = intersect(
    object({ user: object({ name: string() }), a: number() }),
    object({ user: object({ age: number() }) }),
  );
  assertEquals(
    parse(Both, { user: { name: "Ada", age: 36, x: 1 }, a: 1, b: 2 }),
    { user: { name: "Ada", age: 36 }, a: 1 },
  );
});

Deno.test("intersect() accepts equal new values from both sides", () => {
  const Item = object({ a: number(), b: number() });
  const Both = intersect(
    object({ items: array(Item), at: coerce.date(), x: string() }),
    object({ items: array(Item), at: coerce.date(), y: string() }),
  );
  const value = {
    items: [{ b: 2, a: 1 }],
    at: "2026-11-20T12:00:00Z",
    x: "x",
    y: "y",
  };
  const output = {
    ...value,
    items: [{ a: 1, b: 2 }],
    at: new Date(Date.UTC(2026, 10, 20, 12)),
  };
  assertEquals(parse(Both, value), output);
  assertEquals(parse(Both, value, { copy: true }), output);
  const Dates = intersect(
    string().transform(() => new Date(0)),
    string().transform(() => new Date(1)),
  );
  const Lists = intersect(
    string().transform((text) => [text]),
    string().transform((text) => [text, text]),
  );
  const Items = intersect(
    string().transform(() => [1]),
    string().transform(() => [2]),
  );
  const ObjectAndList = intersect(
    string().transform(() => ({ length: 1 })),
    string().transform(() => [1]),
  );
  const DateAndText = intersect(
    string().transform(() => new Date(0)),
    string().transform((text) => text),
  );
  for (const schema of [Dates, Lists, Items, ObjectAndList, DateAndText]) {
    const result = parseSafe(schema, "a");
    const codes = result.success ? [] : result.issues.map(({ code }) => code);
    assertEquals(codes, ["conflict"]);
  }
});

Deno.test("variant() looks at own properties only", () => {
  const Event = variant("type", { a: object({}) });
  const input = Object.create({ type: "a" });
  assertEquals(parseSafe(Event, input).success, false);
  for (const name of ["constructor", "__proto__", "toString"]) {
    assertEquals(parseSafe(Event, { type: name }).success, false);
  }
});

Deno.test("lazy() describes values that contain themselves", () => {
  interface Tree {
    value: number;
    children: Tree[];
  }
  const Tree: Schema<Tree> = object({
    value: number(),
    children: array(lazy(() => Tree)),
  });
  const tree = { value: 1, children: [{ value: 2, children: [] }] };

  assertStrictEquals(parse(Tree, tree), tree);
  const result = parseSafe(Tree, {
    value: 1,
    children: [{ value: "2", children: [] }],
  });
  assertEquals(result.success ? [] : result.issues[0]?.path, [
    "children",
    0,
    "value",
  ]);
});

Deno.test("record() reports each invalid entry, but only the first hundred", () => {
  const numbers = record(string(), number());
  for (const [count, reported] of [[2, 2], [99, 99], [101, 100]] as const) {
    const entries = Array.from({ length: count }, (_, n) => [`k${n}`, "x"]);
    const result = parseSafe(numbers, Object.fromEntries(entries));
    assert(!result.success);
    assertEquals(
      result.issues.map(({ path }) => path?.[0]),
      entries.slice(0, reported).map(([key]) => key),
    );
  }
});

Deno.test("intersect() fails if both sides give different values to a nested property", () => {
  const Length = string().transform((text) => text.length);
  const Both = intersect(
    object({ a: object({ b: string() }) }),
    object({ a: object({ b: Length }) }),
  );
  assert(!parseSafe(Both, { a: { b: "c" } }).success);
});
