import {
  array,
  intersect,
  number,
  object,
  parse,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { assert, assertEquals } from "@std/assert";

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

Deno.test("intersect() fails if both sides give different values to a nested property", () => {
  const Length = string().transform((text) => text.length);
  const Both = intersect(
    object({ a: object({ b: string() }) }),
    object({ a: object({ b: Length }) }),
  );
  assert(!parseSafe(Both, { a: { b: "c" } }).success);
});
