/** Some random tables. `tests/long/random_matching_test.ts` has more. */
import { assertGreater } from "@std/assert";
import { compareSmallTables } from "../_small_tables.ts";

for (
  const [seed, kind] of [
    [1, "any"],
    [4, "simple"],
  ] as const
) {
  Deno.test(`ArrayMatcher matches like the oracle in small tables of ${kind} patterns, seed ${seed}`, () => {
    assertGreater(compareSmallTables(seed, kind), 5_000);
  });
}
