import { parseSafe, string } from "@gatehouse/web/data-schema";
import { length, maxLength, pattern } from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";

for (const bound of [maxLength(10), length(10)]) {
  for (const isFirst of [true, false]) {
    Deno.test(`pattern() does not run on a string that ${bound.code} refuses ${isFirst ? "before" : "after"} it in the same pipe`, () => {
      const expression = pattern(/^(a+)+$/);
      const checks = isFirst ? [bound, expression] : [expression, bound];
      const schema = string().pipe(...checks);
      // The expression would take years.
      const result = parseSafe(schema, `${"a".repeat(200)}!`);
      assertEquals(
        result.success ? [] : result.issues.map(({ code }) => code),
        [bound.code],
      );
      assertEquals(parseSafe(schema, "a".repeat(10)).success, true);
      assertEquals(parseSafe(schema, "b".repeat(10)).success, false);
    });
  }
}
