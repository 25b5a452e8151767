/** The keys of JWT access tokens, and their publication. */
import {
  assertEquals,
  assertFalse,
  assertMatch,
  assertThrows,
} from "@std/assert";
import { jwtAccessTokens, type SigningKey } from "@gatehouse/web/oauth-server";
import { SigningKeys } from "../../../oauth_server/jwt/signing_keys.ts";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { captureConsole } from "../../_console.ts";
import { decodeJWT, generateJWK, startOtherMachine } from "./_jwt.ts";
import {
  browserOf,
  callAPI,
  connect,
  ED25519_KEY,
  exchange,
  getCode,
  ORIGIN,
  refresh,
  type ServerSettings,
  startServer,
  type TestServer,
  type TokenBody,
  WITH_JWT,
} from "../_server.ts";

/** The public part of the key. */
const { d: _private, ...PUBLIC_KEY } = ED25519_KEY;

/** Starts a server with other keys. */
function startWith(
  keys: readonly SigningKey[],
  settings: ServerSettings = {},
): TestServer {
  const jwt = jwtAccessTokens({ keys });
  return startServer({ ...WITH_JWT, jwt, ...settings });
}

/** Reads the key set of a server. */
async function readKeys(server: TestServer): Promise<Response> {
  return await server.router.fetch(`${ORIGIN}/jwks`);
}

Deno.test("/jwks has the public members of all keys, and nothing private", async () => {
  const rsa = await generateJWK("RS256");
  const server = startWith([
    { ...ED25519_KEY, kid: "new", ext: true, key_ops: ["sign"] },
    { ...rsa, use: "sig", alg: "RS256" },
  ]);
  const response = await readKeys(server);
  assertEquals(response.status, 200);
  const { headers } = response;
  assertEquals(headers.get("Content-Type"), "application/json");
  assertEquals(headers.get("Cache-Control"), "public, max-age=600");
  assertEquals(headers.get("Access-Control-Allow-Origin"), "*");
  const text = await response.text();
  const { keys } = JSON.parse(text);
  const named = { use: "sig", alg: "RS256", kid: keys[1].kid };
  assertEquals(keys, [
    { ...PUBLIC_KEY, use: "sig", alg: "EdDSA", kid: "new" },
    { kty: "RSA", n: rsa.n, e: rsa.e, ...named },
  ]);
  for (const key of [ED25519_KEY, rsa] as JsonWebKey[]) {
    for (const name of ["d", "p", "q", "dp", "dq", "qi"] as const) {
      const value = key[name];
      if (value !== undefined) assertFalse(text.includes(value), name);
    }
  }
});

Deno.test("/jwks answers only GET, HEAD and preflights", async () => {
  const server = startServer(WITH_JWT);
  const statuses: Record<string, number> = {};
  for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"]) {
    const request = new Request(`${ORIGIN}/jwks`, { method });
    const response = await server.router.fetch(request);
    statuses[method] = response.status;
    await response.body?.cancel();
  }
  assertEquals(statuses, {
    ...{ GET: 200, HEAD: 200, OPTIONS: 204, POST: 405, PUT: 405, DELETE: 405 },
  });
});

Deno.test("the keys and jwks_uri exist only with the option", async () => {
  const without = startServer();
  assertEquals((await readKeys(without)).status, 404);
  assertFalse("jwks_uri" in without.server.metadata);
  const path = { paths: { jwks: "/oauth/keys" } };
  assertEquals(
    startServer({ ...WITH_JWT, ...path }).server.metadata.jwks_uri,
    `${ORIGIN}/oauth/keys`,
  );
});

Deno.test("keys are replaced without an end of tokens: publish, sign, keep, remove", async () => {
  const store = createMemorySessionStore();
  const old = { ...ED25519_KEY, kid: "old" };
  const { d: _d, ...retired } = old;
  const fresh = { ...await generateJWK("Ed25519"), kid: "new" };
  const first = startWith([old, fresh], { store });
  const tokens = await connect(first);
  assertEquals(decodeJWT(tokens.access_token).header.kid, "old");

  const second = startWith([fresh, retired], { store });
  assertEquals(await callAPI(second, tokens.access_token), 200);
  const other = startOtherMachine(second);
  assertEquals(await callAPI(other, tokens.access_token), 200);
  const next: TokenBody = await (await refresh(second, tokens.refresh_token))
    .json();
  assertEquals(decodeJWT(next.access_token).header.kid, "new");
  assertEquals(await callAPI(other, next.access_token), 200);
  // A machine with the old keys knows the new one in advance.
  assertEquals(
    await callAPI(startOtherMachine(first), next.access_token),
    200,
  );

  const third = startWith([fresh], { store });
  assertEquals(await callAPI(third, tokens.access_token), 401);
  assertEquals(await callAPI(third, next.access_token), 200);
  const last = startOtherMachine(third);
  assertEquals(await callAPI(last, tokens.access_token), 401);
  assertEquals(await callAPI(last, next.access_token), 200);
});

const RSA_1024 = { kty: "RSA", n: "x".repeat(171), e: "AQAB", d: "x" };

const WRONG: readonly (readonly [unknown, RegExp])[] = [
  [undefined, /there is no key/],
  [[], /there is no key/],
  [ED25519_KEY, /there is no key/],
  [Array(11).fill(ED25519_KEY), /there are more than 10 keys/],
  [[PUBLIC_KEY], /the first key is not private/],
  [[{ ...ED25519_KEY, d: 1 }], /the first key is not private/],
  [[null], /key 0 is not an RSA key/],
  [["key"], /key 0 is not an RSA key/],
  [[{}], /key 0 is not an RSA key/],
  [[RSA_1024], /key 0 is not an RSA key of 2,048 bits/],
  [[{ ...ED25519_KEY, x: undefined }], /key 0 is not an RSA key/],
  [[{ ...ED25519_KEY, crv: "X25519" }], /key 0 is not an RSA key/],
  [[{ ...ED25519_KEY, alg: "ES256" }], /key 0 is not an RSA key/],
  [[{ ...ED25519_KEY, use: "enc" }], /key 0 is not an RSA key/],
  [[{ kty: "oct", k: "c2VjcmV0" }], /key 0 is not an RSA key/],
  [[{ kty: "__proto__" }], /key 0 is not an RSA key/],
  [[ED25519_KEY, { kty: "EC", crv: "P-256", x: "x", y: "y" }], /key 1 is not/],
  [[{ ...ED25519_KEY, kid: "" }], /the kid of key 0 is not a string/],
  [[{ ...ED25519_KEY, kid: 1 }], /the kid of key 0 is not a string/],
  [
    [{ ...ED25519_KEY, kid: "a" }, { ...PUBLIC_KEY, kid: "a" }],
    /two keys have the same kid/,
  ],
];

Deno.test("jwtAccessTokens() throws for keys that do not work", () => {
  for (const [keys, reason] of WRONG) {
    const error = assertThrows(
      () => jwtAccessTokens({ keys: keys as readonly SigningKey[] }),
      TypeError,
    );
    assertMatch(error.message, reason);
    assertMatch(error.message, /^Cannot create JWT access tokens: /);
    assertFalse(error.message.includes(ED25519_KEY.d));
  }
});

Deno.test("jwtAccessTokens() accepts ten keys, and both names of the algorithm", () => {
  const keys = ["EdDSA", "Ed25519"].map((alg) => ({ ...ED25519_KEY, alg }));
  jwtAccessTokens({ keys: Array(5).fill(keys).flat() });
});

Deno.test("verify() reads a token of 8,192 characters, and none that is longer", async () => {
  const keys = new SigningKeys([ED25519_KEY]);
  const { length } = await keys.sign({ padding: "" });
  const start = Math.floor((8_192 - length) * 3 / 4) - 4;
  const found: [length: number, isValid: boolean][] = [];
  for (let count = 0; count < 10; count++) {
    const token = await keys.sign({ padding: "a".repeat(start + count) });
    found.push([token.length, await keys.verify(token) !== null]);
  }
  for (const [length, isValid] of found) {
    assertEquals(isValid, length <= 8_192, `${length}`);
  }
  const lengths = found.map(([length]) => length);
  assertEquals(Math.min(...lengths) < 8_192, true);
  assertEquals(lengths.includes(8_192), true);
  assertEquals(Math.max(...lengths) > 8_192, true);
});

for (const algorithm of ["ES256", "PS256"]) {
  Deno.test(`jwtAccessTokens() throws for a key of ${algorithm}, whose signatures differ each time`, async () => {
    const key = { ...await generateJWK(algorithm), alg: algorithm };
    assertThrows(
      () => jwtAccessTokens({ keys: [key] }),
      TypeError,
      "key 0 is not an RSA key of 2,048 bits or more for RS256, or an Ed25519 key",
    );
  });
}

Deno.test("a first key that is malformed is an error of the server, which does not print the key", async () => {
  using console = captureConsole();
  const server = startWith([{ ...ED25519_KEY, d: "AAAA" }]);
  const code = await getCode(await browserOf(server));
  assertEquals((await exchange(server, code)).status, 500);
  const [error] = console.printed as Error[];
  assertEquals(
    error!.message,
    "Cannot sign an access token: the first key is malformed",
  );
  assertFalse(`${error!.stack} ${error!.cause}`.includes("AAAA"));
});
