import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  array,
  number,
  object,
  optional,
  parse,
  parseAsync,
  parseSafe,
  parseSafeAsync,
  record,
  string,
  tuple,
  union,
} from "@gatehouse/web/data-schema";
import { minLength } from "@gatehouse/web/data-schema/checks";

Deno.test("parse() inside a rule does not disturb the parse around it", () => {
  const Inner = string();
  const hostile = Object.defineProperty({}, "a", {
    enumerable: true,
    get() {
      throw new Error("getter");
    },
  });
  const Outer = object({
    a: string().refine((text) =>
      parseSafe(Inner, text).success &&
      !parseSafe(object({ a: Inner }), hostile).success
    ),
    b: string(),
  });
  assertEquals(parseSafe(Outer, { a: "x", b: "y" }).success, true);
});

const isFree = (name: string) => Promise.resolve(name !== "admin");

Deno.test("parse() of an async schema is an error, never a pass", () => {
  const Name = string().refine(isFree);
  for (const value of ["ada", "admin"]) {
    assertThrows(() => parse(Name, value), TypeError, "async");
    assertThrows(() => parseSafe(object({ Name }), { Name: value }), TypeError);
    assertThrows(() => parseSafe(array(Name), [value]), TypeError);
    assertThrows(() => parseSafe(union([Name, number()]), value), TypeError);
    assertThrows(() => parseSafe(record(Name, Name), { a: value }), TypeError);
  }
});

Deno.test("parse() leaves no rejection unhandled if an async rule rejects", async () => {
  const Name = string().refine(() => Promise.reject(new Error("offline")));
  assertThrows(() => parse(object({ Name }), { Name: "a" }), TypeError);
  await Promise.resolve();
});

Deno.test("parseSafeAsync() runs async parts everywhere", async () => {
  const Name = string().refine(isFree, { message: "Taken" });
  const Upper = string().transform((text) =>
    Promise.resolve(text.toUpperCase())
  );
  const Everything = object({
    name: Name,
    list: array(Upper),
    pair: tuple([Upper, Name]),
    map: record(string(), Upper),
    either: union([number(), Upper]),
    maybe: optional(Upper),
    chain: Upper.pipe(minLength(2)).refine(isFree).transform((text) =>
      text.length
    ),
  });
  const input = {
    name: "ada",
    list: ["a", "b"],
    pair: ["a", "b"],
    map: { a: "b" },
    either: "c",
    maybe: "d",
    chain: "abc",
  };

  assertEquals(await parseAsync(Everything, input), {
    name: "ada",
    list: ["A", "B"],
    pair: ["A", "b"],
    map: { a: "B" },
    either: "C",
    maybe: "D",
    chain: 3,
  });
  assertEquals(input.list, ["a", "b"]);

  const result = await parseSafeAsync(Everything, {
    ...input,
    name: "admin",
    list: ["a", 1],
    pair: ["a", "admin"],
    chain: "a",
  });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path).sort(), [
    ["chain"],
    ["list", 1],
    ["name"],
    ["pair", 1],
  ]);
});

Deno.test("parseAsync() rejects with the application's error", async () => {
  const down = () => Promise.reject(new RangeError("database is down"));
  const Name = object({ name: string().refine(down) });
  await assertRejects(() => parseAsync(Name, { name: "a" }), RangeError);
  const later = object({
    name: string().refine(isFree).refine(() => {
      throw new RangeError("broken");
    }),
  });
  await assertRejects(() => parseAsync(later, { name: "a" }), RangeError);
});

Deno.test("parseAsync() takes sync schemas too", async () => {
  assertEquals(await parseAsync(string(), "a"), "a");
  assertEquals((await parseSafeAsync(string(), 1)).success, false);
});
