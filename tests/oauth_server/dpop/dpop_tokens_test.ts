/** Tokens that are bound to a key of the client (RFC 9449). */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import {
  createDPoPVerifier,
  createIntrospection,
  createResourceServer,
  readDPoPNonce,
} from "@gatehouse/web/auth/access-tokens";
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  deviceGrant,
  dpopTokens,
  introspectionEndpoint,
  registrationEndpoint,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { hashOf, signProof } from "../../auth/_dpop.ts";
import { outcomeOf } from "../_attacks.ts";
import {
  API,
  browserOf,
  callAPI,
  CALLBACK,
  exchange,
  getCode,
  ORIGIN,
  post,
  readConsent,
  refresh,
  sendConsent,
  startServer,
  type TokenBody,
  WITH_JWT,
} from "../_server.ts";
import { decodeJWT, startOtherMachine } from "../jwt/_jwt.ts";
import {
  callWith,
  codeForm,
  connectWith,
  exchangeWith,
  KEY,
  OTHER,
  proofOf,
  refreshForm,
  refreshWith,
  SECRET,
  sendForm,
  startDPoPServer,
} from "./_dpop_client.ts";

Deno.test("dpopTokens() names its algorithms in the metadata, and other servers have none (RFC 9449, section 5.1)", () => {
  const name = "dpop_signing_alg_values_supported";
  const { server } = startDPoPServer({
    dpop: dpopTokens({ algorithms: ["ES256"] }),
  });
  assertEquals(server.metadata[name], ["ES256"]);
  const all = startDPoPServer().server.metadata[name] as string[];
  assert(all.includes("EdDSA"));
  assert(!all.includes("HS256"));
  assertEquals(name in startServer().server.metadata, false);
});

Deno.test("a server refuses a symmetric algorithm of dpopTokens()", () => {
  const dpop = dpopTokens({ algorithms: ["HS256"] });
  assertThrows(
    () => startDPoPServer({ dpop }),
    TypeError,
    'Cannot create DPoP verifier: algorithm "HS256" is not an asymmetric one',
  );
});

Deno.test("a client with a proof gets bound tokens, and refreshes them with its key (RFC 9449, section 5)", async () => {
  const app = startDPoPServer();
  const first = await connectWith(app);
  assertEquals(first.token_type, "DPoP");
  assertEquals((await callWith(app, first.access_token)).status, 200);
  const response = await refreshWith(app, first.refresh_token);
  const second: TokenBody = await response.json();
  assertEquals(second.token_type, "DPoP");
  assertNotEquals(second.access_token, first.access_token);
  for (const { access_token } of [first, second]) {
    assertEquals((await callWith(app, access_token)).status, 200);
    assertEquals(await callAPI(app, access_token), 401);
  }
});

Deno.test("a client without a proof gets bearer tokens, as do all clients without dpopTokens()", async () => {
  const app = startDPoPServer();
  const tokens = await connectWith(app, null);
  assertEquals(tokens.token_type, "Bearer");
  assertEquals(await callAPI(app, tokens.access_token), 200);

  const plain = startDPoPServer({ dpop: undefined });
  const others = await connectWith(plain);
  assertEquals(others.token_type, "Bearer");
  assertEquals(await callAPI(plain, others.access_token), 200);
});

Deno.test("a code is bound to the key that its request names (RFC 9449, section 10)", async () => {
  const app = startDPoPServer();
  const params = { dpop_jkt: KEY.thumbprint };
  const code = await getCode(await browserOf(app), params);
  const tokens: TokenBody = await (await exchangeWith(app, code)).json();
  assertEquals(tokens.token_type, "DPoP");
  assertEquals((await callWith(app, tokens.access_token)).status, 200);
});

Deno.test("concurrent refreshes with the same key get one successor, and a repeated one gets it too", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const apps = [1, 2].map(() => startDPoPServer({ store, sessions }));
  const { refresh_token: token } = await connectWith(apps[0]!);
  const responses = await Promise.all(
    Array.from(
      { length: 50 },
      (_, index) => refreshWith(apps[index % 2]!, token),
    ),
  );
  responses.push(await refreshWith(apps[1]!, token));
  const bodies = await Promise.all(responses.map((one) => one.text()));
  assertEquals(new Set(bodies).size, 1);
  const { access_token } = JSON.parse(bodies[0]!);
  for (const app of apps) {
    assertEquals((await callWith(app, access_token)).status, 200);
  }
});

Deno.test("concurrent exchanges of a code, each with another key, give tokens to one key", async () => {
  const app = startDPoPServer();
  const code = await getCode(await browserOf(app));
  const keys = [KEY, OTHER, KEY, OTHER];
  const responses = await Promise.all(
    keys.map((key) => exchangeWith(app, code, key)),
  );
  const winner = responses.findIndex(({ status }) => status === 200);
  assertEquals(responses.filter(({ ok }) => ok).length, 1);
  const { access_token } = await responses[winner]!.json();
  const statuses = await Promise.all(
    [KEY, OTHER].map((key) => callWith(app, access_token, key)),
  );
  assertEquals(
    statuses.map(({ status }) => status),
    keys[winner] === KEY ? [200, 401] : [401, 200],
  );
});

Deno.test("a client that authenticates may change its key, and never gets bearer tokens again (RFC 9449, section 5)", async () => {
  const app = startDPoPServer();
  const first = await connectWith(app, KEY, "partner");
  const { refresh_token: token } = first;
  assertEquals(
    await outcomeOf(refreshWith(app, token, null, "partner")),
    "400 invalid_dpop_proof",
  );
  const changed = await refreshWith(app, token, OTHER, "partner");
  const second: TokenBody = await changed.json();
  assertEquals(second.token_type, "DPoP");
  // The tokens before it are bound to the new key too, and not to none.
  for (const { access_token } of [first, second]) {
    assertEquals((await callWith(app, access_token, OTHER)).status, 200);
    assertEquals((await callWith(app, access_token, KEY)).status, 401);
    assertEquals(await callAPI(app, access_token), 401);
  }
  // A repeated request gets the tokens of its key only, and ends nothing.
  assertEquals(
    await outcomeOf(refreshWith(app, token, KEY, "partner")),
    "400 invalid_grant",
  );
  const repeated = await refreshWith(app, token, OTHER, "partner");
  assertEquals(await repeated.json(), second);
});

Deno.test("a client that authenticates cannot exchange a code of another key", async () => {
  const app = startDPoPServer();
  const params = { client_id: "partner", dpop_jkt: KEY.thumbprint };
  const code = await getCode(await browserOf(app), params);
  assertEquals(
    await outcomeOf(exchangeWith(app, code, OTHER, "partner")),
    "400 invalid_grant",
  );
  assertEquals(
    await outcomeOf(exchangeWith(app, code, KEY, "partner")),
    "200 tokens",
  );
});

Deno.test("an API on another machine learns the key, and requires its proofs (RFC 9449, section 6.2)", async () => {
  const app = startDPoPServer({ introspection: introspectionEndpoint() });
  const { access_token } = await connectWith(app);
  const api = createResourceServer({
    name: "Notes",
    resource: API,
    issuers: [{
      issuer: ORIGIN,
      introspection: createIntrospection({
        clientId: "partner",
        clientSecret: SECRET,
      }),
    }],
    scopes: ["notes:read"],
    dpop: createDPoPVerifier({
      store: createMemorySessionStore(),
      now: () => app.clock.now,
    }),
    verify: ({ cnf, sub }) => ({ id: sub, name: JSON.stringify(cnf) }),
    fetch: async (input, init) =>
      await app.router.fetch(new Request(input, init)),
    now: () => app.clock.now,
  });
  const router = createRouter({
    middleware: [auth({ schemes: [api.scheme] })],
  });
  router.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: (context) => Response.json(context.get(Auth)),
  });
  const other = { ...app, router };
  assertEquals((await callWith(other, access_token)).status, 200);
  assertEquals((await callWith(other, access_token, OTHER)).status, 401);
  assertEquals(await callAPI(other, access_token), 401);

  const form = new URLSearchParams({ token: access_token });
  const headers = { Authorization: `Basic ${btoa(`partner:${SECRET}`)}` };
  const response = await app.router.fetch(
    new Request(`${ORIGIN}/introspect`, {
      method: "POST",
      headers,
      body: form,
    }),
  );
  const { cnf, token_type } = await response.json();
  assertEquals({ cnf, token_type }, {
    cnf: { jkt: KEY.thumbprint },
    token_type: "DPoP",
  });
});

Deno.test("a JWT names its key, and an API on another machine requires proofs of it (RFC 9449, section 6.1)", async () => {
  const app = startDPoPServer(WITH_JWT);
  const { access_token, refresh_token, token_type } = await connectWith(app);
  assertEquals(token_type, "DPoP");
  const { cnf } = decodeJWT(access_token).claims;
  assertEquals(cnf, { jkt: KEY.thumbprint });
  const dpop = createDPoPVerifier({
    store: createMemorySessionStore(),
    now: () => app.clock.now,
  });
  const others = [
    app,
    { ...startOtherMachine(app, API, dpop), clock: app.clock },
  ];
  for (const one of others) {
    assertEquals((await callWith(one, access_token)).status, 200);
    assertEquals((await callWith(one, access_token, OTHER)).status, 401);
    assertEquals(await callAPI(one, access_token), 401);
  }
  assertEquals(await callAPI(startOtherMachine(app), access_token), 401);
  const responses = await Promise.all(
    [1, 2, 3].map(() => refreshWith(app, refresh_token)),
  );
  const bodies = await Promise.all(responses.map((one) => one.text()));
  assertEquals(new Set(bodies).size, 1);
});

Deno.test("a device binds its tokens when the user has approved it, and refreshes them with its key", async () => {
  const app = startDPoPServer({ device: deviceGrant() });
  const start = { client_id: "web", scope: "notes:read" };
  const codes = await (await post(app, "/device/code", start)).json();
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    client_id: "web",
    device_code: codes.device_code,
  };
  // A request that comes too early needs no proof, and uses up none.
  const early = await proofOf(app);
  assertEquals(
    await outcomeOf(sendForm(app, form, early)),
    "400 authorization_pending",
  );
  const browser = await browserOf(app);
  const { user_code } = codes;
  const send = (body: URLSearchParams) =>
    browser.fetch("/device", { method: "POST", body });
  const { handle } = await readConsent(
    await send(new URLSearchParams({ user_code })),
  );
  await send(
    new URLSearchParams({
      request: handle,
      decision: "approve",
      scope: "notes:read",
    }),
  );
  app.clock.now += 5_000;
  const old = await proofOf(app, KEY, { htu: `${ORIGIN}/device/code` });
  assertEquals(
    await outcomeOf(sendForm(app, form, old)),
    "400 invalid_dpop_proof",
  );
  app.clock.now += 10_000;
  const response = await sendForm(app, form, await proofOf(app));
  const tokens: TokenBody = await response.json();
  assertEquals(tokens.token_type, "DPoP");
  assertEquals((await callWith(app, tokens.access_token)).status, 200);
  assertEquals(
    await outcomeOf(refreshWith(app, tokens.refresh_token, OTHER)),
    "400 invalid_grant",
  );
  assertEquals(
    await outcomeOf(refreshWith(app, tokens.refresh_token)),
    "200 tokens",
  );
});

Deno.test("dpopTokens({ required: true }) refuses clients without a proof, and so does its resource server", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const before = startDPoPServer({ store, sessions });
  const bearer = await connectWith(before, null);
  const dpop = dpopTokens({ required: true });
  const app = startDPoPServer({ dpop, store, sessions });
  const code = await getCode(await browserOf(app));
  assertEquals(
    await outcomeOf(exchange(app, code)),
    "400 invalid_dpop_proof",
  );
  const tokens: TokenBody = await (await exchangeWith(app, code)).json();
  assertEquals((await callWith(app, tokens.access_token)).status, 200);

  assertEquals(await callAPI(before, bearer.access_token), 200);
  assertEquals(await callAPI(app, bearer.access_token), 401);
  // An option of the application that is not set must not allow bearer tokens.
  const api = app.server.resource(API, { requireDPoP: undefined });
  const router = createRouter({
    middleware: [auth({ schemes: [api.scheme] })],
  });
  router.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: () => new Response("notes"),
  });
  assertEquals(await callAPI({ router }, bearer.access_token), 401);
  for (const key of [null, KEY]) {
    assertEquals(
      await outcomeOf(refreshWith(app, bearer.refresh_token, key)),
      "400 invalid_grant",
    );
  }
});

Deno.test("the function required decides by the client and the resource", async () => {
  const asked: unknown[] = [];
  const app = startDPoPServer({
    dpop: dpopTokens({
      required(request) {
        asked.push(request);
        return request.clientId === "partner";
      },
    }),
  });
  await connectWith(app, null);
  assertEquals(asked, [{ clientId: "web", resource: API }]);
  const params = { client_id: "partner" };
  const code = await getCode(await browserOf(app), params);
  assertEquals(
    await outcomeOf(sendForm(app, codeForm(code, "partner"), null)),
    "400 invalid_dpop_proof",
  );
});

for (const value of [true, false, "true", 1, null]) {
  Deno.test(`a client whose document has dpop_bound_access_tokens: ${JSON.stringify(value)} ${value === true ? "needs" : "does not need"} a proof (RFC 9449, section 5.2)`, async () => {
    const id = "https://client.example/metadata.json";
    const document = {
      client_id: id,
      redirect_uris: [CALLBACK],
      dpop_bound_access_tokens: value,
    };
    const app = startDPoPServer({
      cimd: { fetch: () => Promise.resolve(Response.json(document)) },
    });
    const code = await getCode(await browserOf(app), { client_id: id });
    const first = await outcomeOf(sendForm(app, codeForm(code, id), null));
    if (value !== true) return assertEquals(first, "200 tokens");
    assertEquals(first, "400 invalid_dpop_proof");
    const response = await exchangeWith(app, code, KEY, id);
    assertEquals((await response.json()).token_type, "DPoP");
  });
}

for (const dpop of [dpopTokens(), undefined]) {
  Deno.test(`a client that registers with dpop_bound_access_tokens ${dpop ? "needs a proof" : "learns that a server without dpopTokens() does not bind tokens"} (RFC 9449, section 5.2)`, async () => {
    const registration = registrationEndpoint();
    const app = startDPoPServer({ dpop, registration });
    const registered = await app.router.fetch(
      new Request(`${ORIGIN}/oauth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          redirect_uris: [CALLBACK],
          dpop_bound_access_tokens: true,
        }),
      }),
    );
    const { client_id: id, dpop_bound_access_tokens } = await registered.json();
    assertEquals(dpop_bound_access_tokens, dpop && true);
    const code = await getCode(await browserOf(app), { client_id: id });
    const first = await outcomeOf(sendForm(app, codeForm(code, id), null));
    if (dpop === undefined) return assertEquals(first, "200 tokens");
    assertEquals(first, "400 invalid_dpop_proof");
    const response = await exchangeWith(app, code, KEY, id);
    assertEquals((await response.json()).token_type, "DPoP");
  });
}

Deno.test("server.resource() with requireDPoP accepts bound tokens only", async () => {
  const app = startDPoPServer();
  const api = app.server.resource(API, { requireDPoP: true });
  const router = createRouter({
    middleware: [auth({ schemes: [api.scheme] })],
  });
  router.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: () => new Response("notes"),
  });
  const strict = { ...app, router };
  const bound = await connectWith(app);
  const bearer = await connectWith(app, null);
  assertEquals((await callWith(strict, bound.access_token)).status, 200);
  assertEquals(await callAPI(strict, bearer.access_token), 401);
});

Deno.test("a proof is for the origin of the issuer, also behind a proxy that ends TLS", async () => {
  const app = startDPoPServer();
  const code = await getCode(await browserOf(app));
  const send = async (htu: string) => {
    const response = await app.router.fetch(
      new Request("http://10.0.0.1:8080/token", {
        method: "POST",
        headers: { DPoP: await proofOf(app, KEY, { htu }) },
        body: new URLSearchParams(codeForm(code)),
      }),
    );
    return await outcomeOf(response);
  };
  assertEquals(
    await send("http://10.0.0.1:8080/token"),
    "400 invalid_dpop_proof",
  );
  assertEquals(await send(`${ORIGIN}/token`), "200 tokens");
});

Deno.test("dpopTokens({ nonces: true }) asks for a nonce, which every response has, without using up the code (RFC 9449, section 8)", async () => {
  const app = startDPoPServer({ dpop: dpopTokens({ nonces: true }) });
  const code = await getCode(await browserOf(app));
  const first = await exchangeWith(app, code);
  assertEquals(first.headers.get("Access-Control-Allow-Origin"), "*");
  const exposed = first.headers.get("Access-Control-Expose-Headers") ?? "";
  assert(exposed.includes("DPoP-Nonce"));
  const nonce = readDPoPNonce(first);
  assertEquals(await outcomeOf(first), "400 use_dpop_nonce");
  for (const wrong of ["", "x", `${nonce}x`, 1]) {
    assertEquals(
      await outcomeOf(
        sendForm(
          app,
          codeForm(code),
          await proofOf(app, KEY, { nonce: wrong }),
        ),
      ),
      "400 use_dpop_nonce",
    );
  }
  const proof = await proofOf(app, KEY, { nonce });
  const second = await sendForm(app, codeForm(code), proof);
  assertEquals(second.status, 200);
  const tokens: TokenBody = await second.json();
  const next = readDPoPNonce(second);
  assertNotEquals(next, null);

  // The API accepts the nonces of the token endpoint, because their origin is one.
  const claims = {
    htu: API,
    iat: Math.floor(app.clock.now / 1000),
    ath: await hashOf(tokens.access_token),
    nonce: next,
  };
  const headers = {
    Authorization: `DPoP ${tokens.access_token}`,
    DPoP: await signProof(KEY, claims),
  };
  const response = await app.router.fetch(new Request(API, { headers }));
  assertEquals(response.status, 200);

  app.clock.now += 301_000;
  const late = await proofOf(app, KEY, { nonce: next });
  const form = refreshForm(tokens.refresh_token);
  assertEquals(
    await outcomeOf(sendForm(app, form, late)),
    "400 use_dpop_nonce",
  );
  const other = await refresh(app, "unknown");
  const fresh = await proofOf(app, KEY, { nonce: readDPoPNonce(other) });
  assertEquals(await outcomeOf(sendForm(app, form, fresh)), "200 tokens");
});

Deno.test("a trusted client gets a bound code without a page", async () => {
  const clients = [{
    id: "partner",
    name: "Partner",
    redirectUris: ["https://client.example/callback"],
    trusted: true,
    authentication: {
      secretHashes: ["cNmRl5kyEb44P9HaEbMkv-2Adgs47QE56UGeNxYGH_E"],
    },
  }];
  const app = startDPoPServer({ clients });
  const browser = await browserOf(app);
  const response = await browser.fetch(`/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: "partner",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    dpop_jkt: KEY.thumbprint,
  })}`);
  const target = new URL(response.headers.get("Location")!);
  const code = target.searchParams.get("code")!;
  assertEquals(
    await outcomeOf(exchangeWith(app, code, OTHER, "partner")),
    "400 invalid_grant",
  );
  assertEquals(
    await outcomeOf(exchangeWith(app, code, KEY, "partner")),
    "200 tokens",
  );
});

Deno.test("a code that was bound by its request is denied as any other", async () => {
  const app = startDPoPServer();
  const browser = await browserOf(app);
  const search = new URLSearchParams({
    response_type: "code",
    client_id: "web",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    dpop_jkt: KEY.thumbprint,
  });
  const form = await readConsent(await browser.fetch(`/authorize?${search}`));
  const response = await sendConsent(browser, form, "deny");
  assertEquals(
    await outcomeOf(response),
    "access_denied to https://client.example/callback",
  );
});
