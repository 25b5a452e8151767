/**
 * The rest of the comparison with native URLPattern: 200,000 pairs. Set
 * `MATCHING_SEED` to start with another seed, or to reproduce a difference.
 */
import { assertEquals } from "@std/assert";
import { comparePatterns, compareTables } from "../router/_differential.ts";

const PARTS = 6;
const first = Number(Deno.env.get("MATCHING_SEED") ?? 1_000);

for (let seed = first; seed < first + PARTS; seed++) {
  Deno.test(
    `ArrayMatcher does not differ from native patterns, seed ${seed}`,
    () => {
      assertEquals(comparePatterns(seed, 20_000).differences, []);
      assertEquals(compareTables(seed, 12_000).differences, []);
    },
  );
}
