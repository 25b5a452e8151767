import {
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
import { assertEquals } from "@std/assert";

Deno.test("defaulted() keeps one request's changes to a default away from other requests", () => {
  const User = object({ roles: defaulted(array(string()), ["user"]) });
  parse(User, {}).roles.push("admin");
  assertEquals(parse(User, {}).roles, ["user"]);
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
