import {
  backChannelLogout,
  completeAuth,
  createIdentityCloudAuthProvider,
  createOfficeSuiteAuthProvider,
  createOIDCAuthProvider,
  createPortalAuthProvider,
  createWorkforceIdAuthProvider,
  endSessionUrl,
  externalAuthCallbacks,
  type ExternalAuthErrorCode,
  type ExternalAuthProvider,
  type ExternalAuthResult,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  type OIDCProfile,
  refreshExternalAuth,
  revokeExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createTestClient,
  createTestProvider,
  type TestProvider,
  type TestProviderOptions,
} from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { base64url } from "jose";

const REDIRECT_URI = "https://test.example/callback";

Deno.test("createTestProvider() logs in the user of the test", async () => {
  const { browser, provider, results } = setUp();
  await provider.logIn(browser, "/login");
  await provider.logIn(browser, "/login", {
    user: { sub: "jane", name: "Jane", roles: ["editor"] },
  });
  const [first, second] = results;
  assert(first?.ok && second?.ok);
  assertEquals(first.profile, {
    sub: "1",
    name: "Test User",
    email: "user@example.com",
    email_verified: true,
    picture: null,
  });
  assertEquals(second.subject, "jane");
  assertEquals(second.claims.roles, ["editor"]);
  assertEquals(await (await browser.fetch("/")).text(), "jane");
});

Deno.test("createTestProvider() can deny a login", async () => {
  const { browser, provider, results } = setUp();
  const answer = { error: "access_denied" };
  const response = await provider.logIn(browser, "/login", answer);
  assertEquals(response.status, 401);
  assertEquals(results.map((result) => !result.ok && result.error.code), [
    "access_denied",
  ]);
});

Deno.test("createTestProvider() supports refresh, revocation and logout", async () => {
  const { browser, client, provider, results } = setUp();
  await provider.logIn(browser, "/login");
  assert(results[0]?.ok);
  const { tokens } = results[0];
  const refreshed = await refreshExternalAuth(client, tokens);
  assert(refreshed.ok);
  assert(!(await refreshExternalAuth(client, tokens)).ok, "it was used");
  assertEquals((await revokeExternalAuth(client, refreshed.tokens)).ok, true);
  assert(!(await refreshExternalAuth(client, refreshed.tokens)).ok);
  assertEquals((await endSessionUrl(client))?.pathname, "/logout");
});

Deno.test("createTestProvider() ends a session by back-channel logout", async () => {
  const { browser, provider, router } = setUp();
  const other = createTestClient(router);
  await provider.logIn(browser, "/login", { user: { sub: "1", sid: "s1" } });
  await provider.logIn(other, "/login", { user: { sub: "1", sid: "s2" } });
  const { status } = await router.fetch("https://test.example/logout", {
    method: "POST",
    body: new URLSearchParams({
      logout_token: await provider.logoutToken({ sid: "s1" }),
    }),
  });
  assertEquals(status, 200);
  assertEquals(await (await browser.fetch("/")).text(), "undefined");
  assertEquals(await (await other.fetch("/")).text(), "1");
});

Deno.test("createTestProvider() supports form_post", async () => {
  const { browser, provider } = setUp({}, { responseMode: "form_post" });
  const response = await provider.logIn(browser, "/login");
  assertEquals([response.status, await response.text()], [200, "1"]);
});

Deno.test("createTestProvider() supports form_post to a callback with a query", async () => {
  const { browser, provider } = setUp({}, {
    responseMode: "form_post",
    redirectUri: `${REDIRECT_URI}?provider=test`,
  });
  const response = await provider.logIn(browser, "/login");
  assertEquals([response.status, await response.text()], [200, "1"]);
});

Deno.test("createTestProvider() uses the clock of the test", async () => {
  const time = Date.UTC(2020, 0, 1);
  const { browser, provider, results } = setUp({ now: () => time });
  await provider.logIn(browser, "/login");
  assert(results[0]?.ok);
  assertEquals(results[0].claims.auth_time, time / 1000);
});

const named: [
  string,
  (provider: TestProvider) => ExternalAuthProvider<OIDCProfile>,
  Record<string, unknown>,
][] = [
  [
    "https://accounts.google.com",
    ({ client }) =>
      createPortalAuthProvider({ redirectUri: REDIRECT_URI, ...client }),
    {},
  ],
  [
    "https://tenant.eu.auth0.com/",
    ({ client }) =>
      createIdentityCloudAuthProvider({
        domain: "tenant.eu.auth0.com",
        redirectUri: REDIRECT_URI,
        ...client,
      }),
    {},
  ],
  [
    "https://example.okta.com/oauth2/default",
    ({ client }) =>
      createWorkforceIdAuthProvider({ redirectUri: REDIRECT_URI, ...client }),
    {},
  ],
  [
    "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    ({ client }) =>
      createOfficeSuiteAuthProvider({
        tenant: "72f988bf-86f1-41af-91ab-2d7cd011db47",
        redirectUri: REDIRECT_URI,
        ...client,
      }),
    { tid: "72f988bf-86f1-41af-91ab-2d7cd011db47" },
  ],
];

for (const [issuer, create, claims] of named) {
  Deno.test(`createTestProvider() replaces ${issuer}`, async () => {
    const provider = createTestProvider({ issuer });
    const { browser, results } = createApp(provider, create(provider));
    const user = { sub: "1", ...claims };
    const response = await provider.logIn(browser, "/login", { user });
    assertEquals(await response.text(), "1");
    assert(results[0]?.ok);
    assertEquals(results[0].issuer, issuer);
  });
}

const wrong: [
  string,
  Partial<OIDCAuthProviderOptions>,
  ExternalAuthErrorCode,
][] = [
  ["another secret", { clientSecret: "wrong" }, "token_request_refused"],
  ["another secret in the body", {
    clientSecret: "wrong",
    clientAuthentication: "post",
  }, "token_request_refused"],
  ["other algorithms", { idTokenAlgorithms: ["RS256"] }, "id_token_invalid"],
];

for (const [name, options, code] of wrong) {
  Deno.test(`createTestProvider() is as strict as a real one about ${name}`, async () => {
    const { browser, provider, results } = setUp({}, options);
    await provider.logIn(browser, "/login");
    assertEquals(results.map((result) => !result.ok && result.error.code), [
      code,
    ]);
  });
}

const exchanges: [string, Record<string, string>, number][] = [
  ["valid parameters", {}, 200],
  ["another verifier", { code_verifier: "other" }, 400],
  ["no verifier", { code_verifier: "" }, 400],
  ["another redirect URI", { redirect_uri: `${REDIRECT_URI}2` }, 400],
  ["an unknown code", { code: "code" }, 400],
  ["another grant type", { grant_type: "password" }, 400],
];

for (const [name, change, status] of exchanges) {
  Deno.test(`createTestProvider() responds with ${status} to a code with ${name}`, async () => {
    const { authorize, client } = createTestProvider();
    const challenge = await crypto.subtle.digest(
      "SHA-256",
      new TextEncoder().encode("verifier"),
    );
    const request = new URLSearchParams({
      response_type: "code",
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      scope: "openid",
      code_challenge_method: "S256",
      code_challenge: base64url.encode(new Uint8Array(challenge)),
    });
    const callback = authorize(`https://id.example/authorize?${request}`);
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: String(
        new URLSearchParams({
          grant_type: "authorization_code",
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uri: REDIRECT_URI,
          code: new URL(callback).searchParams.get("code")!,
          code_verifier: "verifier",
          ...change,
        }),
      ),
    };
    const url = "https://id.example/token";
    assertEquals((await client.fetch(url, init)).status, status);
    assertEquals((await client.fetch(url, init)).status, 400, "once at most");
  });
}

Deno.test("createTestProvider() names the mistakes of a request", () => {
  const provider = createTestProvider();
  for (const location of [null, "/", "https://evil.example/authorize"]) {
    assertThrows(
      () => provider.authorize(location),
      Error,
      "does not lead there",
    );
  }
  assertThrows(
    () => provider.authorize("https://id.example/authorize?scope=email"),
    Error,
    "client_id, response_type, code_challenge_method, redirect_uri, scope is wrong",
  );
});

Deno.test("createTestProvider() names the response of a path without a redirect", async () => {
  const { browser, provider } = setUp({}, { issuer: "https://other.example" });
  await assertRejects(
    () => provider.logIn(browser, "/login"),
    Error,
    '"/login" responds with 502 and no redirect',
  );
});

Deno.test("createTestProvider() responds only to URLs of its issuer", async () => {
  const { client: { fetch } } = createTestProvider();
  await assertRejects(
    () => fetch("https://id.example.evil/keys", {}),
    TypeError,
    "the test provider only answers below its issuer",
  );
  assertEquals((await fetch("https://id.example/other", {})).status, 404);
  assertEquals((await fetch("https://id.example/userinfo", {})).status, 401);
});

/** Creates an application with a login at a test provider, and a browser. */
function setUp(
  options: TestProviderOptions = {},
  more: Partial<OIDCAuthProviderOptions> = {},
) {
  const provider = createTestProvider(options);
  const client = createOIDCAuthProvider({
    name: "test",
    redirectUri: REDIRECT_URI,
    ...provider.client,
    ...more,
  });
  return createApp(provider, client);
}

function createApp(
  provider: TestProvider,
  client: ExternalAuthProvider<OIDCProfile>,
) {
  const { now } = provider.client;
  const store = createMemorySessionStore({ now });
  const results: ExternalAuthResult<OIDCProfile>[] = [];
  const router = createRouter({
    middleware: [
      externalAuthCallbacks([client]),
      crossOriginProtection(),
      session({ store, now }),
    ],
  });
  router.get("/login", (context) => startExternalAuth(client, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    results.push(result);
    if (!result.ok) return new Response(result.error.code, { status: 401 });
    await completeAuth(context, result.subject);
    return new Response(result.subject);
  });
  router.post(
    "/logout",
    (context) => backChannelLogout(client, context, { store }),
  );
  router.get(
    "/",
    (context) => new Response(String(context.get(Session).userId)),
  );
  const browser = createTestClient(router);
  return { browser, client, provider, results, router };
}
