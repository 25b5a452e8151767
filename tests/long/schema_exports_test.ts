/** The rest of the random schemas: they take longer. */
import { assertGreater } from "@std/assert";
import { compareExports } from "../deno/_schema_exports.ts";

for (const target of ["draft-2020-12", "draft-07"] as const) {
  Deno.test(`ajv accepts the same values as more random schemas, by their export (${target})`, () => {
    const seeds = { first: 21, last: 300 };
    const { accepted, exact } = compareExports(target, seeds);
    assertGreater(accepted, 470);
    assertGreater(exact, 470);
  });
}
