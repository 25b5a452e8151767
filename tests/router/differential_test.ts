/** The matcher against native URLPattern, at random. A seed repeats a run. */
import { assert, assertEquals } from "@std/assert";
import { comparePatterns, compareTables } from "./_differential.ts";
import { QUIRKS } from "./_quirks.ts";

const SEEDS = [1, 2, 3, 4];

for (const seed of SEEDS) {
  Deno.test(`ArrayMatcher finds what native patterns find, with equal params, seed ${seed}`, () => {
    const { pairs, matches, differences } = comparePatterns(seed, 3_000);
    assertEquals(differences, []);
    assert(pairs >= 3_000 && matches >= pairs / 4, `only ${matches} match`);
  });

  Deno.test(`ArrayMatcher ranks routes and lists methods as the oracle does, seed ${seed}`, () => {
    const { pairs, matches, differences } = compareTables(seed, 2_000);
    assertEquals(differences, []);
    assert(pairs >= 2_000 && matches >= pairs / 40, `only ${matches} match`);
  });
}

for (const { what, on, isHere } of QUIRKS) {
  Deno.test(`URLPattern itself is otherwise on ${on.join(" and ")}: ${what}`, () => {
    const here = on.some((name) => navigator.userAgent.startsWith(name));
    assertEquals(isHere(), here);
  });
}
