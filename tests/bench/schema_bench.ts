/**
 * Schemas next to those of other libraries: interleaved medians in ns per parse
 * on Deno, Bun and workerd, and the size of a login form in a bundle. Zod and
 * ArkType generate code with eval by default, and Sury always does. Workers
 * allow eval only while they start, so these rows are marked, and no bound
 * compares them.
 *
 * Bounds: at most 0.95 of the fastest other library in every cell. By geometric mean, 1.5
 * times as fast as Valibot on Deno and 1.3 times on Bun. Invalid input takes at
 * most 2.5 times the time of valid input. Building a schema takes no longer
 * than Valibot.
 *
 * `deno run -A tests/bench/schema_bench.ts [--quick]`
 */
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";
import { raceSchemas } from "./_schema_race.ts";
import { raceSchemasOnWorkerd } from "./_schema_worker_race.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await raceSchemas({ quick, mean: 1.5 });
const onBun = await benchOnBun(
  new URL("./_schema_race.ts", import.meta.url),
  `raceSchemas({ quick: ${quick}, mean: 1.3 })`,
);
const onWorkerd = await raceSchemasOnWorkerd(quick);
finish(onDeno && onBun && onWorkerd);
