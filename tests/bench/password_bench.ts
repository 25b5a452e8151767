/**
 * Passwords: the time of a login with a known and with an unknown user, and the
 * cost of each engine and old format. On Deno and on Bun.
 *
 * Bound: the medians of a known and of an unknown user are within 5 % of each
 * other, for every engine.
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
