/**
 * External login: what verifying an ID token costs beside jose's own jwtVerify
 * with the same key, which is imported already; ours looks it up in the
 * provider's key set, and checks nonce, azp and the times besides. On Deno and
 * on Bun.
 *
 * Bound: at most 1.3 times jose's time. What a whole login costs are requests:
 * `tests/auth/external_discovery_test.ts` counts them.
 *
 * `deno run -A tests/bench/external_auth_bench.ts [--quick]`
 */
import { raceIdTokens } from "./_id_token_race.ts";
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await raceIdTokens(quick);
const onBun = await benchOnBun(
  new URL("_id_token_race.ts", import.meta.url),
  `raceIdTokens(${quick})`,
);
finish(onDeno && onBun);
