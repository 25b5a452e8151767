/** The rest of the random tables and patterns: they take eight seconds. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { comparePatterns, compareTables } from "../router/_differential.ts";
import { compareSmallTables } from "../router/_small_tables.ts";

const SEEDS = [3, 4];

for (const seed of SEEDS) {
  Deno.test(`ArrayMatcher has the matches and params of native patterns, seed ${seed}`, () => {
    const { pairs, matches, differences } = comparePatterns(seed, 3_000);
    assertEquals(differences, []);
    assert(pairs >= 3_000 && matches >= pairs / 4, `only ${matches} match`);
  });

  Deno.test(`ArrayMatcher ranks routes and returns methods like the oracle, seed ${seed}`, () => {
    const { pairs, matches, differences } = compareTables(seed, 2_000);
    assertEquals(differences, []);
    assert(pairs >= 2_000 && matches >= pairs / 40, `only ${matches} match`);
  });
}

for (
  const [seed, kind] of [
    [2, "any"],
    [3, "any"],
    [5, "simple"],
  ] as const
) {
  Deno.test(`ArrayMatcher matches like the oracle in small tables of ${kind} patterns, seed ${seed}`, () => {
    assertGreater(compareSmallTables(seed, kind), 5_000);
  });
}
