/**
 * External login on Deno and on Bun: the cost of verifying an ID token, and of
 * a whole login.
 *
 * The baseline of an ID token is jose's jwtVerify with the same key, already
 * imported. Our code also finds the key in the provider's key set and checks
 * nonce, azp and the times.
 *
 * A whole login is the redirect to the provider and the callback, with the token
 * and userinfo requests of a `fetch` that answers at once. The signature of the
 * ID token (RS256) is made outside the measured time. The baseline is a handler
 * with openid-client, and with a bare `Map` for its pending logins and another
 * one for its sessions. openid-client checks the signature only if asked to; the
 * other row is without. Ours also hashes session ids and `state`, saves the
 * session three times, changes its id at the login, and checks timeouts, limits
 * and mix-ups.
 *
 * Bounds: an ID token at most 1.3 times jose's time, a whole login at most 2
 * times openid-client's on Deno and 3.5 times on Bun, where the signature takes
 * less of the time. openid-client is the fastest.
 *
 * `deno run -A tests/bench/external_auth_bench.ts [--quick]`
 */
import { raceIdTokens } from "./_id_token_race.ts";
import { raceLogins } from "./_login_race.ts";
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");

const onDeno = [await raceIdTokens(quick), await raceLogins(quick)];
const onBun = [
  await benchOnBun(
    new URL("_id_token_race.ts", import.meta.url),
    `raceIdTokens(${quick})`,
  ),
  await benchOnBun(
    new URL("_login_race.ts", import.meta.url),
    `raceLogins(${quick})`,
  ),
];
finish([...onDeno, ...onBun].every((holds) => holds));
