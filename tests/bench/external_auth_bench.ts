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
 * ID token (RS256) is made outside the measured time. All handlers send the same
 * two requests, and have the metadata, the keys and the imported key in memory.
 *
 * The first baseline is a handler with openid-client, and with a bare `Map` for its
 * pending logins and another one for its sessions. openid-client checks the
 * signature only on request; another row omits the check. The second baseline is
 * openid-client with our sessions. They hash ids, limit and expire pending logins,
 * allow one callback each, and change the id at the login. Ours also hashes
 * `state`, allows several pending logins, limits the size of responses, and checks
 * for mix-ups.
 *
 * Bounds: an ID token at most 1.3 times jose's time. A whole login takes
 * at most 1.5 times as long as openid-client with maps on Deno, and 2.5 on Bun,
 * where the signature takes a smaller share. With our sessions, the bounds are 1.1
 * and 1.5. openid-client with maps is the fastest.
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
