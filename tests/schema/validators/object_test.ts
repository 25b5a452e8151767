import {
  boolean,
  defaulted,
  looseObject,
  number,
  object,
  optional,
  parse,
  parseSafe,
  strictObject,
  string,
} from "@gatehouse/web/data-schema";
import { assertEquals, assertStrictEquals } from "@std/assert";

const User = object({ id: number(), name: string(), bio: optional(string()) });

Deno.test("object() gives back an input that needs no change", () => {
  for (
    const input of [
      { id: 1, name: "Ada" },
      { id: 1, name: "Ada", bio: "Poet" },
    ]
  ) {
    assertStrictEquals(parse(User, input), input);
    const copy = parse(User, input, { copy: true });
    assertEquals(copy, input);
    assertEquals(copy === input, false);
  }
});

Deno.test("object() drops, refuses or keeps unknown keys (ASVS 8.2.3)", () => {
  const shape = { id: number(), name: string() };
  const input = { before: 0, id: 1, between: 1, name: "Ada", after: 2 };

  assertEquals(parse(object(shape), input), { id: 1, name: "Ada" });
  assertEquals(parse(looseObject(shape), input), input);
  const result = parseSafe(strictObject(shape), input);
  assertEquals(
    result.success ? [] : result.issues.map(({ code, path }) => [code, path]),
    [
      ["unknown_key", ["before"]],
      ["unknown_key", ["between"]],
      ["unknown_key", ["after"]],
    ],
  );
  assertEquals(input.before, 0);
  const both = parseSafe(strictObject(shape), { id: "1", name: "Ada", x: 0 });
  assertEquals(
    both.success ? [] : both.issues.map(({ code, path }) => [code, path]),
    [["type", ["id"]], ["unknown_key", ["x"]]],
  );
});

Deno.test("object() keeps unknown keys next to properties that change", () => {
  const Trimmed = looseObject({
    name: string().transform((name) => name.trim()),
    id: number(),
  });

  const output: object = parse(Trimmed, {
    a: 1,
    name: " Ada ",
    b: 2,
    id: 3,
    c: 4,
  });

  assertEquals(output, {
    a: 1,
    name: "Ada",
    b: 2,
    id: 3,
    c: 4,
  });
});

Deno.test("object() reports every invalid property with its path", () => {
  const Order = object({ id: number(), customer: User, paid: boolean() });
  const result = parseSafe(Order, { id: "1", customer: { id: 1, name: 2 } });

  assertEquals(result, {
    success: false,
    issues: [
      {
        code: "type",
        path: ["id"],
        message: "Expected number",
        params: { expected: "number" },
      },
      {
        code: "type",
        path: ["customer", "name"],
        message: "Expected string",
        params: { expected: "string" },
      },
      {
        code: "required",
        path: ["paid"],
        message: "Required",
        params: { expected: "boolean" },
      },
    ],
  });
});

Deno.test("object() fills in missing values and leaves out undefined ones", () => {
  const Query = object({
    q: string(),
    page: defaulted(number(), 1),
    tags: defaulted(string(), () => "none"),
    sort: optional(string()),
  });
  const input = { sort: undefined, q: "a" };

  const query = parse(Query, input);

  assertEquals(query, { q: "a", page: 1, tags: "none" });
  assertEquals(Object.keys(query).sort(), ["page", "q", "tags"]);
  assertEquals(input, { sort: undefined, q: "a" });
});

Deno.test("object() takes more properties than a number has bits", () => {
  const keys = Array.from({ length: 70 }, (_, index) => `key${index}`);
  const Wide = object(Object.fromEntries(keys.map((key) => [key, number()])));
  const input = Object.fromEntries(keys.map((key, index) => [key, index]));

  assertStrictEquals(parse(Wide, input), input);
  for (const key of ["key0", "key31", "key32", "key69"]) {
    const { [key]: _, ...rest } = input;
    const result = parseSafe(Wide, rest);
    assertEquals(result.success ? [] : result.issues.map(({ path }) => path), [
      [key],
    ]);
  }
});

Deno.test("object() with 31, 32 and 33 keys misses none", () => {
  for (const size of [31, 32, 33]) {
    const keys = Array.from({ length: size }, (_, index) => `key${index}`);
    const Wide = object(Object.fromEntries(keys.map((key) => [key, number()])));
    for (const missing of keys) {
      const input = Object.fromEntries(
        keys.filter((key) => key !== missing).map((key) => [key, 1]),
      );
      const result = parseSafe(Wide, { other: 1, ...input });
      assertEquals(
        result.success ? [] : result.issues.map(({ path }) => path),
        [[missing]],
      );
    }
  }
});

for (const value of [null, undefined, 1, "a", true, [], [{}], () => {}]) {
  Deno.test(`object() rejects ${typeof value} ${String(value)}`, () => {
    assertEquals(parseSafe(object({}), value).success, false);
  });
}

Deno.test("object() of an empty shape strips everything", () => {
  assertEquals(parse(object({}), { a: 1 }), {});
});
