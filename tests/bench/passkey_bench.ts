/**
 * Passkeys: the time of one login on Deno and on Bun, next to SimpleWebAuthn.
 * Our time is that of the whole request: router, session, challenge, store and
 * signature. SimpleWebAuthn only verifies the response.
 *
 * Bound: twice SimpleWebAuthn's time. Web Crypto itself takes 0.4 to 0.8 of it.
 *
 * `deno run -A tests/bench/passkey_bench.ts [--quick]`
 */
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";
import { racePasskeys } from "./_passkey_race.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await racePasskeys(quick);
const onBun = await benchOnBun(
  new URL("_passkey_race.ts", import.meta.url),
  `racePasskeys(${quick})`,
);
finish(onDeno && onBun);
