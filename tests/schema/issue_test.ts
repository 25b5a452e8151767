import { assertEquals } from "@std/assert";
import { flatten } from "@gatehouse/web/data-schema";

Deno.test("flatten() sorts messages by field, and the others apart", () => {
  const flat = flatten([
    { code: "a", path: [], message: "whole", params: {} },
    { code: "a", path: ["a", 0, "b"], message: "first", params: {} },
    { code: "a", path: ["a", 0, "b"], message: "second", params: {} },
    { code: "a", path: ["x"], message: "named", params: {}, field: "user[x]" },
    { code: "a", path: ["__proto__"], message: "odd", params: {} },
  ]);
  assertEquals(flat.form, ["whole"]);
  assertEquals(Object.entries(flat.fields), [
    ["a.0.b", ["first", "second"]],
    ["user[x]", ["named"]],
    ["__proto__", ["odd"]],
  ]);
  assertEquals(flat.fields.toString, undefined);
});

Deno.test("flatten() sorts the issues of other libraries too", () => {
  const flat = flatten([
    { message: "whole" },
    { message: "first", path: ["a", { key: 0 }, { key: "b" }] },
  ]);
  assertEquals(flat.form, ["whole"]);
  assertEquals(Object.entries(flat.fields), [["a.0.b", ["first"]]]);
});
