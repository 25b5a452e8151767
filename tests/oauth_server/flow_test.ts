import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  API,
  authorizePath,
  browserOf,
  callAPI,
  CALLBACK,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  readConsent,
  refresh,
  sendConsent,
  startServer,
  targetOf,
  type TokenBody,
} from "./_server.ts";

Deno.test("a token has the scopes and the resource that its user approved (ASVS 10.3.1, ASVS 10.3.2)", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const page = await browser.fetch(authorizePath({ scope: "notes:read" }));
  const form = await readConsent(page);
  assertStringIncludes(form.html, "Connect Web client to Notes?");
  assertStringIncludes(form.html, "Read your notes");
  assertStringIncludes(form.html, "client.example");
  assertEquals(form.scopes, ["notes:read"]);

  const target = targetOf(await sendConsent(browser, form));
  assertEquals(target.origin + target.pathname, CALLBACK);
  const { code, ...others } = Object.fromEntries(target.searchParams);
  assertEquals(others, { state: "s1", iss: ORIGIN });

  const response = await exchange(app, code!);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const tokens: TokenBody = await response.json();
  const { access_token, refresh_token, ...rest } = tokens;
  assertEquals(rest, {
    token_type: "Bearer",
    expires_in: 600,
    scope: "notes:read",
  });
  assertEquals(await callAPI(app, access_token), 200);
  assertEquals(await callAPI(app, access_token, "/api/write"), 403);
  assertEquals(await callAPI(app, access_token, "/files"), 403);
  assertEquals(await callAPI(app, refresh_token), 401);
});

Deno.test("a refresh returns new tokens, and old access tokens work until they expire", async () => {
  const app = startServer();
  const first = await connect(app);
  app.clock.now += 60_000;
  const response = await refresh(app, first.refresh_token);
  assertEquals(response.status, 200);
  const second: TokenBody = await response.json();
  assertEquals(await callAPI(app, first.access_token), 200);
  assertEquals(await callAPI(app, second.access_token), 200);
  app.clock.now += 541_000;
  assertEquals(await callAPI(app, first.access_token), 401);
  assertEquals(await callAPI(app, second.access_token), 200);
});

Deno.test("a revocation ends the grant at the next request (RFC 7009)", async () => {
  for (const kind of ["access_token", "refresh_token"] as const) {
    const app = startServer();
    const tokens = await connect(app);
    const form = { token: tokens[kind], client_id: "web" };
    assertEquals((await post(app, "/revoke", form)).status, 200);
    assertEquals(await callAPI(app, tokens.access_token), 401);
    assertEquals((await refresh(app, tokens.refresh_token)).status, 400);
    assertEquals((await post(app, "/revoke", form)).status, 200);
    assertEquals(app.events.map(({ name }) => name), ["granted", "revoked"]);
  }
});

Deno.test("grants() lists the grants of a user, and revoke() ends them (ASVS 10.4.9, ASVS 10.7.3)", async () => {
  const app = startServer();
  const { access_token } = await connect(app);
  const other = await connect(app);
  const [newest, grant, ...others] = await app.server.grants("1");
  assertEquals(others, []);
  const { id, ...facts } = grant!;
  assertMatch(id, /^[\w-]{43}$/);
  assertEquals(facts, {
    client: { id: "web", name: "Web client" },
    redirectHost: "client.example",
    resource: API,
    resourceName: "Notes",
    scopes: ["notes:read", "notes:write"],
    scopeTexts: {
      "notes:read": "Read your notes",
      "notes:write": "Change your notes",
    },
    createdAt: app.clock.now,
    lastUsedAt: app.clock.now,
  });
  assertEquals(await app.server.grants("2"), []);
  assertEquals(await app.server.revoke("2", { id }), 0);
  assertEquals(await app.server.revoke("1", { client: "cli" }), 0);
  assertEquals(await app.server.revoke("1", { before: app.clock.now }), 0);
  assertEquals(await app.server.revoke("1", { id: newest!.id }), 1);
  assertEquals(
    [await callAPI(app, access_token), await callAPI(app, other.access_token)]
      .sort(),
    [200, 401],
  );
  assertEquals(await app.server.revoke("1"), 1);
  assertEquals(await callAPI(app, access_token), 401);
});

Deno.test("the metadata names what the server has (RFC 8414)", async () => {
  const { router, server } = startServer();
  const path = "/.well-known/oauth-authorization-server";
  const response = await router.fetch(ORIGIN + path);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(await response.json(), server.metadata);
  const {
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_signing_alg_values_supported: same,
    ...metadata
  } = server.metadata;
  const methods = ["none", "private_key_jwt", "client_secret_basic"];
  assertEquals(algorithms, same);
  assertEquals((algorithms as string[]).includes("ES256"), true);
  assertEquals(metadata, {
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/authorize`,
    token_endpoint: `${ORIGIN}/token`,
    revocation_endpoint: `${ORIGIN}/revoke`,
    scopes_supported: [
      "notes:read",
      "notes:write",
      "notes:delete",
      "files:read",
      "offline_access",
    ],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [API, `${ORIGIN}/files`],
  });
  const openid = await router
    .fetch(`${ORIGIN}/.well-known/openid-configuration`);
  assertEquals(openid.status, 404);
  assertEquals(openid.headers.get("Content-Type"), "application/json");
});

Deno.test("a change of the user's credentials ends the grants before it", async () => {
  const app = startServer();
  const tokens = await connect(app);
  const browser = await browserOf(app);
  const code = await getCode(browser);
  app.users.get("1")!.version++;
  assertEquals(await callAPI(app, tokens.access_token), 401);
  assertEquals((await refresh(app, tokens.refresh_token)).status, 400);
  assertEquals((await exchange(app, code)).status, 400);
  assertEquals(await app.server.grants("1"), []);
  const later = await connect(app);
  assertEquals(await callAPI(app, later.access_token), 200);
  app.users.delete("1");
  assertEquals(await callAPI(app, later.access_token), 401);
});
