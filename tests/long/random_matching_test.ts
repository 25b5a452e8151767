/**
 * Compares the matcher with native URLPattern on 32,000 random pairs, and on
 * small tables of routes: six times as many every night. The day's date is the
 * seed. Set `TEST_SEED` to the seed in a test's name to reproduce a failure.
 */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { comparePatterns, compareTables } from "../router/_differential.ts";
import { compareSmallTables } from "../router/_small_tables.ts";
import { isNightly, seed } from "./_nightly.ts";

const parts = isNightly ? 6 : 1;
console.log(`random matching: TEST_SEED=${seed}`);

for (let part = 0; part < parts; part++) {
  // The first part has the seed itself, so that it also reproduces a later one.
  const own = seed + part * 100_000_000;

  Deno.test(`ArrayMatcher has the matches and params of native patterns, seed ${own}`, () => {
    const { pairs, matches, differences } = comparePatterns(own, 20_000);
    assertEquals(differences, []);
    assert(pairs >= 20_000 && matches >= pairs / 4, `only ${matches} match`);
  });

  Deno.test(`ArrayMatcher ranks routes and returns methods like the oracle, seed ${own}`, () => {
    const { pairs, matches, differences } = compareTables(own, 12_000);
    assertEquals(differences, []);
    assert(pairs >= 12_000 && matches >= pairs / 40, `only ${matches} match`);
  });

  for (const kind of ["any", "simple"] as const) {
    Deno.test(`ArrayMatcher matches like the oracle in small tables of ${kind} patterns, seed ${own}`, () => {
      assertGreater(compareSmallTables(own, kind), 5_000);
    });
  }
}
