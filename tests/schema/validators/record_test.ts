import { number, parseSafe, record, string } from "@gatehouse/web/data-schema";
import { assert, assertEquals } from "@std/assert";

Deno.test("record() reports each invalid entry, but only the first hundred", () => {
  const numbers = record(string(), number());
  for (const [count, reported] of [[2, 2], [99, 99], [101, 100]] as const) {
    const entries = Array.from({ length: count }, (_, n) => [`k${n}`, "x"]);
    const result = parseSafe(numbers, Object.fromEntries(entries));
    assert(!result.success);
    assertEquals(
      result.issues.map(({ path }) => path?.[0]),
      entries.slice(0, reported).map(([key]) => key),
    );
  }
});
