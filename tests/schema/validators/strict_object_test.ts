import { parseSafe, strictObject, string } from "@gatehouse/web/data-schema";
import { assertEquals } from "@std/assert";

Deno.test("strictObject() reports only the unknown key, whatever names the others have", () => {
  const Box = strictObject({ parts: string(), output: string() });
  const result = parseSafe(Box, { parts: "ab", output: "c", extra: 1 });
  assertEquals(
    result.success ? [] : result.issues.map(({ code, path }) => [code, path]),
    [["unknown_key", ["extra"]]],
  );
});
