/**
 * Schemas beside those of other libraries: ns per parse, medians, interleaved,
 * on Deno and on Bun; and what a login form adds to a bundle. None of them may
 * generate code, as Workers forbid it.
 *
 * Bounds: in no cell slower than any other library; 1.5 times as fast as
 * Valibot on Deno and 1.3 times on Bun (geometric mean); invalid input at most
 * 2.5 times the cost of valid; a schema built no slower than Valibot's; a login
 * form with parseSafe in at most 2.2 kB, minified and gzipped.
 *
 * `deno run -A tests/bench/schema_bench.ts [--quick]`
 */
import { sizeOfLogin } from "../deno/_bundle_sizes.ts";
import { finish, printTable } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";
import { raceSchemas } from "./_schema_race.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await raceSchemas({ quick, mean: 1.5 });
const sizes = new Map([["gatehouse", await sizeOfLogin()], ["bound", 2_200]]);
const fits = printTable(
  "login form with parseSafe, minified and gzipped",
  sizes,
  [
    { of: "gatehouse", to: "bound", most: 1 },
  ],
  "bytes",
);
const onBun = await benchOnBun(
  new URL("./_schema_race.ts", import.meta.url),
  `raceSchemas({ quick: ${quick}, mean: 1.3 })`,
);
finish(onDeno && fits && onBun);
