/**
 * Passwords: the cost of each engine and old format, on Deno and on Bun. A test
 * shows that known and unknown users take the same work.
 *
 * `deno run -A tests/bench/password_bench.ts [--quick]`
 */
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";
import { racePasswords } from "./_password_race.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await racePasswords(quick);
const onBun = await benchOnBun(
  new URL("_password_race.ts", import.meta.url),
  `racePasswords(${quick})`,
);
finish(onDeno && onBun);
