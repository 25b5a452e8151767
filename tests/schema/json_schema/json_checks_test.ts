import { lazy, string, toJSONSchema } from "@gatehouse/web/data-schema";
import { max } from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";
import { text } from "./_schemas.ts";

Deno.test("toJSONSchema() leaves out checks behind a transform in lazy()", () => {
  const Late = lazy(() => string().transform(Number)).pipe(max(2));
  const { $schema: _, ...described } = toJSONSchema(Late);
  assertEquals(described, {
    $ref: "#/$defs/schema0",
    $defs: { schema0: text },
  });
});
