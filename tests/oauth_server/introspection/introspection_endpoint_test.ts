/** APIs on other machines, which ask about access tokens (RFC 7662). */
import { assert, assertEquals } from "@std/assert";
import {
  createIntrospection,
  createResourceServer,
} from "@gatehouse/web/auth/access-tokens";
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { introspectionEndpoint } from "@gatehouse/web/oauth-server";
import { exportJWK, generateKeyPair } from "jose";
import {
  API,
  CALLBACK,
  changedStore,
  connect,
  ORIGIN,
  post,
  refresh,
  type ServerSettings,
  startServer,
  tamper,
  type TestServer,
} from "../_server.ts";

const SECRET = "billing_" + "s".repeat(43);

/** The result of `hashToken(SECRET)`. */
const SECRET_HASH = "cNmRl5kyEb44P9HaEbMkv-2Adgs47QE56UGeNxYGH_E";

const CLIENTS = [
  { id: "web", name: "Web client", redirectUris: [CALLBACK] },
  {
    id: "billing",
    name: "Billing",
    grants: ["introspection"],
    authentication: { secretHashes: [SECRET_HASH] },
  },
  {
    id: "partner",
    name: "Partner",
    redirectUris: [CALLBACK],
    authentication: { secretHashes: [SECRET_HASH] },
  },
] as const;

function start(settings: ServerSettings = {}): TestServer {
  return startServer({
    clients: CLIENTS,
    introspection: introspectionEndpoint(),
    ...settings,
  });
}

/** Asks about a token, with Basic. */
async function ask(
  { router }: TestServer,
  form: Readonly<Record<string, string>>,
  { id = "billing", secret = SECRET } = {},
): Promise<Response> {
  return await router.fetch(
    new Request(`${ORIGIN}/introspect`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams(form),
    }),
  );
}

/** Asks about a token, and returns the claims. */
async function claimsOf(
  server: TestServer,
  token: string,
): Promise<Record<string, unknown>> {
  const response = await ask(server, { token });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  return await response.json();
}

Deno.test("an API on another machine learns who uses an access token (RFC 7662, section 2.2)", async () => {
  const server = start();
  const tokens = await connect(server, { scope: "notes:read" });
  const now = server.clock.now / 1000;
  assertEquals(await claimsOf(server, tokens.access_token), {
    active: true,
    iss: ORIGIN,
    sub: "1",
    aud: API,
    client_id: "web",
    scope: "notes:read",
    exp: now + 600,
    auth_time: now,
    token_type: "Bearer",
  });
});

Deno.test("createIntrospection() and createResourceServer() accept the tokens of a server, until their grant ends", async () => {
  const server = start();
  const api = createResourceServer({
    name: "Notes",
    resource: API,
    issuers: [{
      issuer: ORIGIN,
      introspection: createIntrospection({
        clientId: "billing",
        clientSecret: SECRET,
        maxCacheTime: 0,
      }),
    }],
    scopes: ["notes:read", "notes:write"],
    verify: ({ sub }) => ({ id: sub }),
    fetch: async (input, init) =>
      await server.router.fetch(new Request(input, init)),
    now: () => server.clock.now,
  });
  const other = createRouter({ middleware: [auth({ schemes: [api.scheme] })] });
  other.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: (context) => new Response(String(context.get(Auth)!.id)),
  });
  const { access_token } = await connect(server);
  const call = async () => {
    const headers = { Authorization: `Bearer ${access_token}` };
    const response = await other.fetch(new Request(API, { headers }));
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await call(), 200);
  await server.server.revoke("1");
  assertEquals(await call(), 401);
});

const dead: [name: string, token: (server: TestServer) => Promise<string>][] = [
  ["garbage", () => Promise.resolve("x")],
  ["10,000 characters", () => Promise.resolve("x".repeat(10_000))],
  ["NUL", () => Promise.resolve("\0")],
  ["a JWT", () => Promise.resolve("e30.e30.e30")],
  [
    "a changed access token",
    async (server) => tamper((await connect(server)).access_token),
  ],
  ["a refresh token", async (server) => (await connect(server)).refresh_token],
  [
    "a token that has expired",
    async (server) => {
      const { access_token } = await connect(server);
      server.clock.now += 600_000;
      return access_token;
    },
  ],
  [
    "a token of a grant that has ended",
    async (server) => {
      const { access_token } = await connect(server);
      await server.server.revoke("1");
      return access_token;
    },
  ],
  [
    "a token of a user who is gone",
    async (server) => {
      const { access_token } = await connect(server);
      server.users.delete("1");
      return access_token;
    },
  ],
  [
    "a token from before a new password",
    async (server) => {
      const { access_token } = await connect(server);
      server.users.get("1")!.version++;
      return access_token;
    },
  ],
];

for (const [name, token] of dead) {
  Deno.test(`introspection: ${name} is inactive, without a reason`, async () => {
    const server = start();
    const text = await token(server);
    assertEquals(await claimsOf(server, text), { active: false });
  });
}

for (
  const [name, client, status, error] of [
    ["a wrong secret", { secret: "wrong" }, 401, "invalid_client"],
    ["an unknown client", { id: "x" }, 401, "invalid_client"],
    ["a public client", { id: "web" }, 400, "unauthorized_client"],
    ["a client for codes", { id: "partner" }, 400, "unauthorized_client"],
  ] as const
) {
  Deno.test(`introspection: ${name} learns nothing`, async () => {
    const server = start();
    const { access_token: token } = await connect(server);
    const response = await ask(server, { token }, client);
    assertEquals(response.status, status);
    assertEquals((await response.json()).error, error);
  });
}

Deno.test("introspection: a request without authentication learns nothing", async () => {
  const server = start();
  const { access_token: token } = await connect(server);
  const forms: Record<string, string>[] = [
    { token },
    { token, client_id: "billing" },
    { token, client_id: "billing", client_secret: SECRET },
  ];
  for (const form of forms) {
    const response = await post(server, "/introspect", form);
    assertEquals(response.status, 401);
    assertEquals((await response.json()).error, "invalid_client");
  }
});

Deno.test("introspection: malformed requests get a 4xx", async () => {
  const server = start();
  const none = await ask(server, {});
  assertEquals([none.status, (await none.json()).error], [
    400,
    "invalid_request",
  ]);
  const headers = { Authorization: `Basic ${btoa(`billing:${SECRET}`)}` };
  for (
    const [init, status] of [
      [{ method: "GET" }, 405],
      [{ method: "POST", body: "{}" }, 400],
      [{ method: "POST", body: new URLSearchParams("token=a&token=b") }, 400],
      [{
        method: "POST",
        body: new URLSearchParams({ token: "x".repeat(20_000) }),
      }, 413],
    ] as const
  ) {
    const response = await server.router.fetch(
      new Request(`${ORIGIN}/introspect`, { headers, ...init }),
    );
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});

Deno.test("introspection makes one store call, and none for a wrong MAC", async () => {
  let calls = 0;
  const store = changedStore((inner) => ({
    get: (key) => {
      calls++;
      return inner.get(key);
    },
  }));
  const server = start({ store });
  const { access_token } = await connect(server);
  calls = 0;
  await claimsOf(server, access_token);
  assertEquals(calls, 1);
  await claimsOf(server, tamper(access_token));
  assertEquals(calls, 1);
});

Deno.test("introspection with signed assertions accepts each once", async () => {
  const pair = await generateKeyPair("ES256", { extractable: true });
  const publicKey = { ...await exportJWK(pair.publicKey), kid: "k1" };
  const key = await exportJWK(pair.privateKey) as JsonWebKey;
  const server = start({
    clients: [CLIENTS[0], {
      id: "billing",
      name: "Billing",
      grants: ["introspection"],
      authentication: { jwks: { keys: [publicKey] } },
    }],
  });
  const bodies: string[] = [];
  const api = createResourceServer({
    name: "Notes",
    resource: API,
    issuers: [{
      issuer: ORIGIN,
      introspection: createIntrospection({
        clientId: "billing",
        privateKey: { key, keyId: "k1" },
        maxCacheTime: 0,
      }),
    }],
    scopes: ["notes:read"],
    verify: ({ sub }) => ({ id: sub }),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "POST") bodies.push(await request.clone().text());
      return await server.router.fetch(request);
    },
  });
  const other = createRouter({ middleware: [auth({ schemes: [api.scheme] })] });
  other.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: () => new Response("notes"),
  });
  // The assertions have the real time.
  server.clock.now = Date.now();
  const { access_token } = await connect(server);
  const headers = { Authorization: `Bearer ${access_token}` };
  const response = await other.fetch(new Request(API, { headers }));
  assertEquals(response.status, 200);
  await response.body?.cancel();
  const replayed = await post(
    server,
    "/introspect",
    Object.fromEntries(new URLSearchParams(bodies.at(-1))),
  );
  assertEquals(replayed.status, 401);
  await replayed.body?.cancel();
});

Deno.test("the metadata names the introspection endpoint only with the option", async () => {
  const { metadata } = start().server;
  assertEquals(metadata.introspection_endpoint, `${ORIGIN}/introspect`);
  assertEquals(metadata.introspection_endpoint_auth_methods_supported, [
    "private_key_jwt",
    "client_secret_basic",
  ]);
  const other = startServer({ clients: CLIENTS });
  assert(!("introspection_endpoint" in other.server.metadata));
  const response = await post(other, "/introspect", { token: "x" });
  assertEquals(response.status, 404);
  await response.body?.cancel();
});

Deno.test("a refreshed token is active, and so is the one before it until it expires", async () => {
  const server = start();
  const first = await connect(server);
  const second = await (await refresh(server, first.refresh_token)).json();
  for (const { access_token } of [first, second]) {
    assertEquals((await claimsOf(server, access_token)).active, true);
  }
});
