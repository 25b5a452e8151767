/**
 * Schemas next to those of other libraries: interleaved medians in ns per parse
 * on Deno and on Bun, and the size of a login form in a bundle. Sury generates
 * code, which Workers forbid: its times are shown, without a bound.
 *
 * Bounds: at most 0.95 of the fastest other library in every cell. By geometric mean, 1.5
 * times as fast as Valibot on Deno and 1.3 times on Bun. Invalid input takes at
 * most 2.5 times the time of valid input. Building a schema takes no longer
 * than Valibot. A login form with parseSafe has at most 2.2 kB, minified and
 * gzipped.
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
