import {
  any,
  array,
  date,
  defaulted,
  map,
  object,
  parse,
  set,
  string,
  toJSONSchema,
} from "@gatehouse/web/data-schema";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

Deno.test("defaulted() keeps one request's changes to a default away from other requests", () => {
  const User = object({ roles: defaulted(array(string()), ["user"]) });
  parse(User, {}).roles.push("admin");
  assertEquals(parse(User, {}).roles, ["user"]);
});

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

Deno.test("defaulted() keeps its default when the caller changes the original later", () => {
  const roles = ["user"];
  const Roles = defaulted(array(string()), roles);
  roles.push("admin");
  assertEquals(parse(Roles, undefined), ["user"]);
});

Deno.test("defaulted() calls a function for every missing value", () => {
  let calls = 0;
  const Id = defaulted(array(string()), () => [String(++calls)]);
  assertEquals(parse(Id, undefined), ["1"]);
  assertEquals(parse(Id, undefined), ["2"]);
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

Deno.test("defaulted() types its default", () => {
  assertEquals(parse(defaulted(date(), new Date(5)), undefined).getTime(), 5);
  assertEquals(parse(defaulted(set(string()), new Set()), undefined).size, 0);
  const Ages = defaulted(map(string(), string()), new Map());
  assertEquals(parse(Ages, undefined).size, 0);
});

Deno.test("toJSONSchema() returns an unshared copy of the default", () => {
  const Roles = defaulted(array(string()), ["user"]);
  const { default: roles } = toJSONSchema(Roles);
  (roles as string[]).push("admin");
  assertEquals(parse(Roles, undefined), ["user"]);
});
