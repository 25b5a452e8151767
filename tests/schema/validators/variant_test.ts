import { object, parseSafe, variant } from "@gatehouse/web/data-schema";
import { assertEquals } from "@std/assert";

Deno.test("variant() looks at own properties only", () => {
  const Event = variant("type", { a: object({}) });
  const input = Object.create({ type: "a" });
  assertEquals(parseSafe(Event, input).success, false);
  for (const name of ["constructor", "__proto__", "toString"]) {
    assertEquals(parseSafe(Event, { type: name }).success, false);
  }
});
