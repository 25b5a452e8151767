import { assertEquals } from "@std/assert";
import {
  number,
  object,
  parseSafe,
  parseSafeAsync,
  string,
} from "@gatehouse/web/data-schema";
import { fieldsMatch, minLength } from "@gatehouse/web/data-schema/checks";

const isFree = (name: string) => Promise.resolve(name !== "admin");

Deno.test("fieldsMatch() also runs if an async field failed", async () => {
  const Form = object({
    name: string().refine(isFree),
    password: string(),
    again: string(),
  }).pipe(fieldsMatch("password", "again"));
  const result = await parseSafeAsync(Form, {
    name: "admin",
    password: "a",
    again: "b",
  });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["name"], ["again"]]);
});

Deno.test("fieldsMatch() compares nothing if one of the two is invalid", () => {
  const Form = object({
    password: string().pipe(minLength(8)),
    again: string(),
  })
    .pipe(fieldsMatch("password", "again"));
  const result = parseSafe(Form, { password: "a", again: "b" });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["password"]]);
});

Deno.test("fieldsMatch() works twice in a row", () => {
  const Form = object({ id: number(), a: string(), b: string(), c: string() })
    .pipe(fieldsMatch("a", "b")).pipe(fieldsMatch("b", "c"));
  const result = parseSafe(Form, { id: "x", a: "1", b: "1", c: "2" });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["id"], ["c"]]);
});
