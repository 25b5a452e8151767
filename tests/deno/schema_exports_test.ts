/** Some random schemas. `tests/long/schema_exports_test.ts` has more. */
import { assertGreater } from "@std/assert";
import { compareExports } from "./_schema_exports.ts";

for (const target of ["draft-2020-12", "draft-07"] as const) {
  Deno.test(`ajv accepts the same values as random schemas, by their export (${target})`, () => {
    const seeds = { first: 1, last: 20 };
    const { accepted, exact } = compareExports(target, seeds);
    assertGreater(accepted, 30);
    assertGreater(exact, 30);
  });
}
