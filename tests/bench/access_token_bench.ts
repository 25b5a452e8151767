/**
 * Resource servers: the cost of accepting an access token, on Deno and on Bun.
 * The baseline is jose's jwtVerify with the same key set and the same claims.
 * Our time is that of the whole scheme: it also reads the header, finds the issuer
 * of the token, checks its binding and returns the scopes and the user.
 *
 * Bound: at most 1.1 times jose's time.
 *
 * `deno run -A tests/bench/access_token_bench.ts [--quick]`
 */
import { raceAccessTokens } from "./_access_token_race.ts";
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await raceAccessTokens(quick);
const onBun = await benchOnBun(
  new URL("_access_token_race.ts", import.meta.url),
  `raceAccessTokens(${quick})`,
);
finish(onDeno && onBun);
