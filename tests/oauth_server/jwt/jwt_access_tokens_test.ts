/** Access tokens that APIs on other machines verify (RFC 9068). */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  createAuthorizationServer,
  introspectionEndpoint,
  jwtAccessTokens,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import { decodeJWT, generateJWK, startOtherMachine } from "./_jwt.ts";
import { RACES, walkRaces } from "../_race_table.ts";
import {
  API,
  callAPI,
  CALLBACK,
  connect,
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

function start(settings: ServerSettings = {}): TestServer {
  return startServer({ ...WITH_JWT, ...settings });
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

Deno.test("a JWT has no auth_time if the session has no time of the login", async () => {
  const ada = { id: "1", name: "Ada", version: 1, scopes: [] };
  const server = start({ loggedIn: () => ada });
  const browser = createTestClient(server.router, { origin: ORIGIN });
  const response = await exchange(server, await getCode(browser));
  const { access_token }: TokenBody = await response.json();
  const { auth_time, sub } = decodeJWT(access_token).claims;
  assertEquals({ auth_time, sub }, { auth_time: undefined, sub: "1" });
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

Deno.test("on another machine, a token works until it expires, and with the server until its grant ends (ASVS 9.2.1)", async () => {
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
      start({ jwt: jwtAccessTokens({ keys }), store, sessions })
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
  create({ jwt, lifetimes: { access: 3_600_000 } })();
  assertThrows(
    create({ jwt, lifetimes: { access: 3_600_001 } }),
    RangeError,
    "lifetimes.access is more than an hour",
  );
});
