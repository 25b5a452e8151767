/**
 * Random comparisons of the matcher with URLPattern. A seed repeats a run, and
 * `tests/long/random_matching_test.ts` has more seeds.
 */
import { assert, assertEquals } from "@std/assert";
import { comparePatterns, compareTables } from "../_differential.ts";
import { QUIRKS } from "../_quirks.ts";

const SEEDS = [1];

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

for (const { behavior, on, isHere } of QUIRKS) {
  Deno.test(`URLPattern differs on ${on.join(" and ")}: ${behavior}`, () => {
    const here = on.some((name) => navigator.userAgent.startsWith(name));
    assertEquals(isHere(), here);
  });
}
