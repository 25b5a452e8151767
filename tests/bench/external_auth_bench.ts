/**
 * External login: the cost of verifying an ID token, on Deno and on Bun. The
 * baseline is jose's jwtVerify with the same key, already imported. Our code
 * also finds the key in the provider's key set and checks nonce, azp and the
 * times.
 *
 * Bound: at most 1.3 times jose's time. The cost of a whole login is its
 * requests; `tests/auth/external_discovery_test.ts` counts them.
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
