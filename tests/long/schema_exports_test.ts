/** The rest of the random schemas: they take ten seconds. */
import { assertGreater } from "@std/assert";
import { compareExports } from "../deno/_schema_exports.ts";

for (const target of ["draft-2020-12", "draft-07"] as const) {
  Deno.test(`ajv accepts the same values as more random schemas, by their export (${target})`, () => {
    const seeds = { first: 101, last: 300 };
    const { accepted, exact } = compareExports(target, seeds);
    assertGreater(accepted, 340);
    assertGreater(exact, 340);
  });
}
