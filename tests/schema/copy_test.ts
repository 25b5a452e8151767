import { any, defaulted, parse } from "@gatehouse/web/data-schema";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

Deno.test("defaulted() copies plain objects, arrays, dates, maps and sets at every depth", () => {
  const make = () => ({
    list: [{ tags: ["a"] }],
    at: new Date(0),
    ages: new Map([["ada", { years: [36] }]]),
    ids: new Set([1]),
    bare: Object.assign(Object.create(null), { a: ["b"] }),
  });
  const Settings = defaulted(any<ReturnType<typeof make>>(), make());
  const first = parse(Settings, undefined);
  first.list[0]!.tags.push("b");
  first.at.setTime(1);
  first.ages.get("ada")!.years.push(37);
  first.ids.add(2);
  first.bare.a.push("c");
  assertEquals(parse(Settings, undefined), make());
});

Deno.test("defaulted() shares instances of classes, which it can't copy", () => {
  const url = new URL("https://example.com/");
  assertStrictEquals(parse(defaulted(any<URL>(), url), undefined), url);
});

Deno.test("defaulted() copies a default of 101 levels, and rejects a deeper one", () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? 1 : [nested(levels - 1)];
  const result = parse(defaulted(any(), nested(101)), undefined);
  assertEquals(result, nested(101));
  assertThrows(() => defaulted(any(), nested(102)), TypeError, "100 levels");
});

Deno.test("defaulted() rejects a default that contains itself when the schema is created", () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  assertThrows(
    () => defaulted(any(), cyclic),
    TypeError,
    "Cannot copy default",
  );
});

Deno.test("defaulted() gives its default no other prototype", () => {
  const hostile = JSON.parse('{"__proto__":{"isAdmin":true},"a":1}');
  const output = parse(defaulted(any<object>(), hostile), undefined);
  assertEquals(Object.getPrototypeOf(output), Object.prototype);
  assertEquals(Object.keys(output), ["a"]);
});
