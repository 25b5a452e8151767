// Requirements of OWASP ASVS 5.0 for relying parties, from its chapters on OAuth
// clients and identity providers.
import {
  completeAuth,
  createCodeHostAuthProvider,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { clientOf, Login, logIn, ORIGIN } from "../_login.ts";
import { LogoutApp, usersOf } from "../_provider_logout.ts";
import { TestProvider, USER } from "../_test_provider.ts";

Deno.test("ASVS 6.8.1: users of two providers are different users even with the same claims", async () => {
  const identities = new Set<string>();
  for (const issuer of ["https://one.example", "https://two.example"]) {
    const { result } = await logIn(await TestProvider.create(issuer));
    assert(result.ok);
    identities.add(JSON.stringify([result.issuer, result.subject]));
  }
  assertEquals(identities.size, 2);
});

Deno.test("ASVS 6.8.2: an ID token without a valid signature is rejected even from the provider over TLS", async () => {
  const provider = await TestProvider.create();
  provider.faults = { idToken: (idToken) => idToken.replace(/[^.]+$/, "AAAA") };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

Deno.test("ASVS 6.8.4: the time and method of authentication are available, and checked if required", async () => {
  const provider = await TestProvider.create();
  const authTime = Math.floor(Date.now() / 1000) - 3600;
  provider.faults = {
    claims: (claims) => ({
      ...claims,
      auth_time: authTime,
      acr: "silver",
      amr: ["pwd", "otp"],
    }),
  };
  const { result } = await logIn(provider);
  assert(result.ok);
  const { acr, amr, auth_time } = result.claims;
  assertEquals([auth_time, acr, amr], [authTime, "silver", ["pwd", "otp"]]);
  const { code } = await logIn(provider, {}, { maxAge: 600 });
  assertEquals(code, "authentication_too_old");
});

Deno.test("ASVS 10.1.1: no token of the provider is in the session or in the browser", async () => {
  const provider = await TestProvider.create();
  const memory = createMemorySessionStore();
  const written: string[] = [];
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) => {
      written.push(JSON.stringify([key, value, options]));
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const client = clientOf(provider);
  const router = createRouter({ middleware: [session({ store })] });
  const tokens: string[] = [];
  router.get("/login", (context) => startExternalAuth(client, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    assert(result.ok);
    const { accessToken, idToken, refreshToken } = result.tokens;
    tokens.push(accessToken, idToken!, refreshToken!);
    await completeAuth(context, result.subject);
    return new Response();
  });
  const browser = createTestClient(router, { origin: ORIGIN });
  const started = await browser.fetch("/login");
  const callback = provider.authorize(started.headers.get("Location"));
  const finished = await browser.fetch(callback);
  assertEquals(finished.status, 200);
  const seen = JSON.stringify([...written, ...finished.headers]);
  assert(written.length >= 2);
  for (const token of tokens) assert(!seen.includes(token));
});

Deno.test("ASVS 10.1.2: a code is accepted only from the browser and the login that requested it", async () => {
  const login = new Login(await TestProvider.create());
  const [first, second] = [await login.begin(), await login.begin()];
  const [one, other] = [new URL(first), new URL(second)];
  assertNotEquals(
    one.searchParams.get("state"),
    other.searchParams.get("state"),
  );
  // The code of one login in another login, then in another browser.
  other.searchParams.set("code", one.searchParams.get("code")!);
  assertEquals((await login.end(other.href)).code, "token_request_refused");
  login.newBrowser();
  assertEquals((await login.end(first)).code, "state_unknown");
});

Deno.test("ASVS 10.2.1: a callback that this browser did not request causes no login", async () => {
  const provider = await TestProvider.create();
  const attacker = new Login(provider);
  const callback = await attacker.begin();
  attacker.newBrowser();
  assertEquals((await attacker.end(callback)).profile, null);
  assertEquals(provider.count("/token"), 0);
});

Deno.test("ASVS 10.2.2: the response of another issuer is rejected before the code is sent", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => params.set("iss", "https://evil.example"),
  };
  assertEquals((await logIn(provider)).code, "issuer_mismatch");
  assertEquals(provider.count("/token"), 0);
});

Deno.test("ASVS 10.2.3: only the configured scopes are requested", async () => {
  const provider = await TestProvider.create();
  const registration = {
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: `${ORIGIN}/callback`,
  };
  const clients = [
    [clientOf(provider, { scopes: ["openid"] }), "openid"],
    [createCodeHostAuthProvider(registration), "user:email"],
  ] as const;
  for (const [client, scope] of clients) {
    const router = createRouter({ middleware: [session()] });
    router.get("/login", (context) => startExternalAuth(client, context));
    const { headers } = await router.fetch(`${ORIGIN}/login`);
    const { searchParams } = new URL(headers.get("Location")!);
    assertEquals(searchParams.get("scope"), scope);
  }
});

Deno.test("ASVS 10.5.1: the ID token of one login is rejected in another", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const { result } = await login.run();
  assert(result.ok);
  const { idToken } = result.tokens;
  provider.faults = {
    token: (token) => ({ ...token, id_token: idToken }),
  };
  assertEquals((await login.run()).code, "id_token_invalid");
});

Deno.test("ASVS 10.5.2: only the issuer and subject identify a user", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const subjects: string[] = [];
  for (
    const user of [
      USER,
      { ...USER, email: "new@example.com", name: "New" },
      { ...USER, sub: "someone else" },
    ]
  ) {
    provider.user = user;
    const { result } = await login.run();
    assert(result.ok);
    subjects.push(result.subject);
  }
  assertEquals(subjects, [USER.sub, USER.sub, "someone else"]);
});

Deno.test("ASVS 10.5.3: metadata of another issuer is not used", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({ ...metadata, issuer: `${metadata.issuer}/` }),
  };
  const { status } = await new Login(provider).visit("/login");
  assertEquals(status, 502);
});

Deno.test("ASVS 10.5.4: an ID token for another client is rejected", async () => {
  const provider = await TestProvider.create();
  provider.faults = { claims: (claims) => ({ ...claims, aud: "other" }) };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

const logouts: [string, Record<string, unknown>][] = [
  ["another event", { events: {} }],
  ["a nonce", { nonce: "n" }],
  ["the audience of another client", { aud: "other" }],
  ["an iat of an hour ago, without exp", {
    iat: Math.floor(Date.now() / 1000) - 3600,
    exp: Math.floor(Date.now() / 1000) + 86_400,
  }],
];

for (const [name, claims] of logouts) {
  Deno.test(`ASVS 10.5.5: a logout token with ${name} ends no session`, async () => {
    const app = new LogoutApp(
      await TestProvider.create(),
      createMemorySessionStore(),
    );
    const browser = await app.logIn();
    assertEquals(await app.logOut({ sub: USER.sub, ...claims }), 400);
    assertEquals(await usersOf(browser), [`user of ${USER.sub}`]);
  });
}
