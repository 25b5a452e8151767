/** Access tokens that APIs on other machines verify (RFC 9068). */
import {
  assertEquals,
  assertFalse,
  assertMatch,
  assertThrows,
} from "@std/assert";
import {
  createAuthorizationServer,
  introspectionEndpoint,
  jwtAccessTokens,
  type SigningKey,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { captureConsole } from "../../_console.ts";
import { decodeJWT, generateJWK, startOtherMachine } from "./_jwt.ts";
import { RACES, walkRaces } from "../_race_table.ts";
import {
  API,
  browserOf,
  callAPI,
  CALLBACK,
  connect,
  ED25519_KEY,
  exchange,
  FILES,
  getCode,
  ORIGIN,
  post,
  refresh,
  type ServerSettings,
  startServer,
  type TestServer,
  type TokenBody,
  WITH_DEVICES,
  WITH_JWT,
} from "../_server.ts";

/** The thumbprint of the key (RFC 8037, appendix A.3). */
const THUMBPRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

/** The public part of the key. */
const { d: _private, ...PUBLIC_KEY } = ED25519_KEY;

function start(settings: ServerSettings = {}): TestServer {
  return startServer({ ...WITH_JWT, ...settings });
}

/** Starts a server with other keys. */
function startWith(
  keys: readonly SigningKey[],
  settings: ServerSettings = {},
): TestServer {
  return start({ jwt: jwtAccessTokens({ keys }), ...settings });
}

/** Reads the key set of a server. */
async function readKeys(server: TestServer): Promise<Response> {
  return await server.router.fetch(`${ORIGIN}/jwks`);
}

Deno.test("jwtAccessTokens() issues tokens with the claims of RFC 9068 (section 2.2)", async () => {
  const server = start();
  const tokens = await connect(server, { scope: "notes:read" });
  const { claims, header } = decodeJWT(tokens.access_token);
  const now = server.clock.now / 1000;
  assertEquals(header, { alg: "EdDSA", typ: "at+jwt", kid: THUMBPRINT });
  const { jti, ...others } = claims;
  assertEquals(others, {
    iss: ORIGIN,
    sub: "1",
    aud: API,
    client_id: "web",
    scope: "notes:read",
    iat: now,
    exp: now + 600,
    auth_time: now,
  });
  assertMatch(String(jti), /^[\w-]{60}$/);
  assertEquals(tokens.token_type, "Bearer");
  assertEquals(tokens.expires_in, 600);
});

Deno.test("each resource has tokens in its own format", async () => {
  const resources = {
    ...WITH_JWT.resources,
    [FILES]: { ...WITH_JWT.resources[FILES], format: "opaque" },
  } as const;
  const server = start({ resources });
  const files = await connect(server, { resource: FILES });
  assertMatch(files.access_token, /^oat_/);
  const notes = await connect(server, { resource: API });
  assertEquals(decodeJWT(notes.access_token).claims.aud, API);
});

Deno.test("an API on another machine accepts tokens with the keys at jwks_uri, and asks nothing else", async () => {
  const server = start();
  const other = startOtherMachine(server);
  const { access_token } = await connect(server);
  for (let call = 0; call < 3; call++) {
    assertEquals(await callAPI(other, access_token), 200);
  }
  assertEquals(other.requests, [
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/jwks",
  ]);
  const narrow = await connect(server, { scope: "notes:write" });
  assertEquals(await callAPI(other, narrow.access_token), 403);
});

Deno.test("on another machine, a token works until it expires, and with the server until its grant ends", async () => {
  const server = start();
  const other = startOtherMachine(server);
  const { access_token } = await connect(server);
  assertEquals(await callAPI(server, access_token), 200);
  await server.server.revoke("1");
  assertEquals(await callAPI(server, access_token), 401);
  assertEquals(await callAPI(other, access_token), 200);
  server.clock.now += 600_000 + 31_000;
  assertEquals(await callAPI(other, access_token), 401);
});

for (
  const [name, end] of [
    ["the grant has ended", (server) => server.server.revoke("1")],
    ["the user is gone", (server) => server.users.delete("1")],
    ["the password has changed", (server) => server.users.get("1")!.version++],
    ["it has expired", (server) => server.clock.now += 600_000],
  ] satisfies [string, (server: TestServer) => unknown][]
) {
  Deno.test(`server.resource() and the introspection refuse a JWT if ${name}`, async () => {
    const server = startWithIntrospection();
    const { access_token } = await connect(server);
    assertEquals(await callAPI(server, access_token), 200);
    assertEquals((await introspect(server, access_token)).active, true);
    await end(server);
    assertEquals(await callAPI(server, access_token), 401);
    assertEquals(await introspect(server, access_token), { active: false });
  });
}

const SECRET = "billing_" + "s".repeat(43);

function startWithIntrospection(): TestServer {
  return start({
    introspection: introspectionEndpoint(),
    clients: [
      { id: "web", name: "Web client", redirectUris: [CALLBACK] },
      {
        id: "billing",
        name: "Billing",
        grants: ["introspection"],
        // The result of `hashToken(SECRET)`.
        authentication: {
          secretHashes: ["cNmRl5kyEb44P9HaEbMkv-2Adgs47QE56UGeNxYGH_E"],
        },
      },
    ],
  });
}

async function introspect(
  { router }: TestServer,
  token: string,
): Promise<Record<string, unknown>> {
  const response = await router.fetch(
    new Request(`${ORIGIN}/introspect`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`billing:${SECRET}`)}` },
      body: new URLSearchParams({ token }),
    }),
  );
  assertEquals(response.status, 200);
  return await response.json();
}

Deno.test("the introspection returns the claims of a JWT", async () => {
  const server = startWithIntrospection();
  const { access_token } = await connect(server);
  const { iat: _time, jti: _id, ...claims } = decodeJWT(access_token).claims;
  assertEquals(await introspect(server, access_token), {
    active: true,
    token_type: "Bearer",
    ...claims,
  });
});

Deno.test("the revocation of a JWT ends its grant, for its own client only (RFC 7009)", async () => {
  const server = start();
  const { access_token: token, refresh_token } = await connect(server);
  const foreign = await post(server, "/revoke", { token, client_id: "cli" });
  assertEquals(foreign.status, 400);
  assertEquals(await callAPI(server, token), 200);
  const own = await post(server, "/revoke", { token, client_id: "web" });
  assertEquals(own.status, 200);
  assertEquals(await callAPI(server, token), 401);
  assertEquals((await refresh(server, refresh_token)).status, 400);
});

Deno.test("concurrent requests with one code or refresh token have the results of the table, with JWTs", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const apps = [1, 2].map(() =>
    startServer({ ...WITH_DEVICES, ...WITH_JWT, store, sessions })
  );
  assertEquals(await walkRaces(apps), RACES);
});

for (const algorithm of ["RS256", "Ed25519"]) {
  Deno.test(`100 concurrent refreshes at two servers return one JWT, signed with ${algorithm}`, async () => {
    const keys = [await generateJWK(algorithm)];
    const store = createMemorySessionStore();
    const sessions = createMemorySessionStore();
    const [first, second] = [1, 2].map(() =>
      startWith(keys, { store, sessions })
    );
    const { refresh_token } = await connect(first!);
    // The clocks of machines differ.
    second!.clock.now += 5_000;
    const refreshes = Array.from({ length: 100 }, async (_, index) => {
      const app = index % 2 === 0 ? first! : second!;
      const response = await refresh(app, refresh_token);
      assertEquals(response.status, 200);
      const { access_token }: TokenBody = await response.json();
      return access_token;
    });
    const [token, ...others] = new Set(await Promise.all(refreshes));
    assertEquals(others, []);
    assertEquals(await callAPI(startOtherMachine(second!), token!), 200);
  });
}

Deno.test("a JWT tells nothing about the key of its grant, and no two have the same jti", async () => {
  const keys: string[] = [];
  const store = createMemorySessionStore();
  const put = store.put.bind(store);
  const server = start({
    store: {
      ...{ get: store.get.bind(store), delete: store.delete.bind(store) },
      byIndex: store.byIndex!.bind(store),
      put(key, ...rest) {
        keys.push(key.replace("~grant", ""));
        return put(key, ...rest);
      },
    },
  });
  const first = await connect(server);
  const second: TokenBody = await (await refresh(server, first.refresh_token))
    .json();
  const narrow: TokenBody = await (await refresh(
    server,
    second.refresh_token,
    { scope: "notes:read" },
  )).json();
  const ids = [first, second, narrow, await connect(server)].map((tokens) => {
    const { claims, header } = decodeJWT(tokens.access_token);
    const text = JSON.stringify([claims, header]);
    for (const key of keys) assertFalse(text.includes(key), key);
    const bytes = bytesOf(String(claims.jti));
    for (const key of keys) assertFalse(bytes.includes(bytesOf(key)), key);
    return claims.jti;
  });
  assertEquals(new Set(keys).size, 2);
  assertEquals(new Set(ids).size, 4);
});

/** Decodes base64url: each character of the result is a byte. */
function bytesOf(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
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
  const server = start();
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
  assertEquals(start(path).server.metadata.jwks_uri, `${ORIGIN}/oauth/keys`);
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

Deno.test("tokens of a secret that is no longer the first one are accepted until it is removed", async () => {
  const store = createMemorySessionStore();
  const other = "another secret with 32 characters: x7Qp";
  const old = start({ store });
  const { access_token } = await connect(old);
  const secrets = ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"];
  const rotated = start({ store, secrets: [other, ...secrets] });
  assertEquals(await callAPI(rotated, access_token), 200);
  const removed = start({ store, secrets: [other] });
  assertEquals(await callAPI(removed, access_token), 401);
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

Deno.test("createAuthorizationServer() throws for JWTs that do not fit its other options", () => {
  const { jwt } = WITH_JWT;
  const create = (settings: ServerSettings) => () => startServer(settings);
  assertThrows(
    create({ resources: WITH_JWT.resources }),
    TypeError,
    `the resource "${API}" has another format, or no option jwt`,
  );
  assertThrows(
    () =>
      createAuthorizationServer({
        issuer: ORIGIN,
        users: { find: () => null },
        store: createMemorySessionStore(),
        secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
        resources: {
          [API]: {
            name: "Notes",
            scopes: { "notes:read": "Read your notes" },
            format: "jwt" as "at+jwt",
          },
        },
        jwt,
        cimd: false,
        loginPath: "/login",
      }),
    TypeError,
    "has another format",
  );
  assertThrows(
    create({ jwt: { parts: {} } }),
    TypeError,
    "jwt is not the result of its function",
  );
  assertThrows(
    create({ jwt, lifetimes: { access: 3_600_001 } }),
    RangeError,
    "lifetimes.access is more than an hour",
  );
});

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
