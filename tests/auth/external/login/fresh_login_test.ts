// The time at which an external provider authenticated the user, in the result
// and in the session, and the providers that can authenticate again.
import {
  completeAuth,
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createOAuthProvider,
  createOfficeSuiteAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
  type ExternalAuthProvider,
  externalAuthResult,
  startExternalAuth,
  type StartExternalAuthOptions,
} from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import { clientOf, logIn } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

const NOW = 1_700_000_000_000;

/** Creates a provider whose ID tokens have an auth_time. */
async function providerWith(
  authTime: unknown,
  userinfo: Record<string, unknown> = {},
): Promise<TestProvider> {
  const provider = await TestProvider.create();
  provider.now = () => NOW;
  provider.faults = {
    claims: ({ auth_time: _, ...claims }) =>
      authTime === undefined ? claims : { ...claims, auth_time: authTime },
    userinfo: (claims) => ({ ...claims, ...userinfo }),
  };
  return provider;
}

const times: [string, unknown, number | undefined][] = [
  ["of a minute ago", NOW / 1000 - 60, NOW - 60_000],
  ["with a fraction", NOW / 1000 - 0.5, NOW - 500],
  ["a little ahead", NOW / 1000 + 20, NOW],
  ["missing", undefined, undefined],
  ["null", null, undefined],
];

for (const [name, authTime, expected] of times) {
  Deno.test(`externalAuthResult() has authenticatedAt ${expected} for an auth_time that is ${name}`, async () => {
    const { result } = await logIn(await providerWith(authTime));
    assert(result.ok);
    assertEquals(result.authenticatedAt, expected);
    assertEquals("authenticatedAt" in result, expected !== undefined);
  });
}

for (const authTime of [NOW / 1000 + 40, NOW, -1, "1700000000", true, {}]) {
  Deno.test(`externalAuthResult() rejects the auth_time ${JSON.stringify(authTime)} even if it was not requested`, async () => {
    const { code } = await logIn(await providerWith(authTime));
    assertEquals(code, "id_token_invalid");
  });
}

Deno.test("externalAuthResult() reads authenticatedAt only from the ID token, never from userinfo", async () => {
  const provider = await providerWith(undefined, { auth_time: NOW / 1000 });
  const { result } = await logIn(provider);
  assert(result.ok);
  assertEquals(result.authenticatedAt, undefined);
});

Deno.test("requireFreshAuth() rejects a new login if the provider authenticated the user an hour ago", async () => {
  assertEquals(await statusAfterLogin(NOW / 1000 - 3600), 401);
  assertEquals(await statusAfterLogin(NOW / 1000 - 30), 200);
});

/** Logs in and opens a page that requires a login of the last minute. */
async function statusAfterLogin(authTime: number): Promise<number> {
  const provider = await providerWith(authTime);
  const client = clientOf(provider);
  const { now } = provider;
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id) => ({ id }),
  });
  const router = createRouter({
    middleware: [session({ now }), auth({ schemes: [scheme] })],
  });
  router.get("/login", (context) => startExternalAuth(client, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    if (!result.ok) return new Response(null, { status: 400 });
    const { authenticatedAt, subject } = result;
    await completeAuth(context, subject, { authenticatedAt });
    return new Response();
  });
  router.get("/password", {
    middleware: [requireFreshAuth(60_000, { now })],
  }, () => new Response());
  const browser = createTestClient(router, { origin: "https://app.example" });
  const response = await browser.fetch("/login");
  await browser.fetch(provider.authorize(response.headers.get("Location")));
  return (await browser.fetch("/password")).status;
}

Deno.test("startExternalAuth() with prompt login and maxAge 0 requires a new authentication for this login only", async () => {
  const provider = await TestProvider.create();
  const client = clientOf(provider);
  const again = await locationOf(client, { prompt: "login", maxAge: 0 });
  assertEquals(again.searchParams.get("prompt"), "login");
  assertEquals(again.searchParams.get("max_age"), "0");
  const plain = await locationOf(client);
  assertEquals(plain.searchParams.get("prompt"), null);
  assertEquals(plain.searchParams.get("max_age"), null);
});

Deno.test("finishExternalAuth() after maxAge 0 fails if the provider sends no auth_time (OpenID Connect Core 1.0, section 3.1.3.7 (13))", async () => {
  const provider = await providerWith(undefined);
  const options = { prompt: "login", maxAge: 0 };
  const { code, profile } = await logIn(provider, {}, options);
  assertEquals(code, "id_token_invalid");
  assertEquals(profile, null);
});

const registration = {
  clientId: "app",
  clientSecret: "s3cret",
  redirectUri: "https://app.example/callback",
};

const oauth = {
  ...registration,
  name: "music",
  issuer: "https://music.example",
  authorizationEndpoint: "https://music.example/authorize",
  tokenEndpoint: "https://music.example/token",
  profileEndpoint: "https://music.example/me",
  scopes: ["profile"],
  parseProfile: () => ({}),
};

Deno.test("startExternalAuth() throws for maxAge if the provider never sends auth_time", async () => {
  const client = createOAuthProvider(oauth);
  assertEquals(await errorOf(client, { maxAge: 0 }), "TypeError");
  assertEquals(await errorOf(client, { prompt: "login" }), "");
});

/** Returns the name of the error of `startExternalAuth`, or `""`. */
async function errorOf(
  client: ExternalAuthProvider,
  options: StartExternalAuthOptions,
): Promise<string> {
  return await locationOf(client, options).then(() => "", ({ name }) => name);
}

/** Returns the URL of the redirect to the provider. */
async function locationOf(
  client: ExternalAuthProvider,
  options: StartExternalAuthOptions = {},
): Promise<URL> {
  let error: unknown;
  const router = createRouter({ middleware: [session()] });
  router.get("/login", async (context) => {
    try {
      return await startExternalAuth(client, context, options);
    } catch (thrown) {
      error = thrown;
      return new Response();
    }
  });
  const response = await router.fetch("https://app.example/login");
  if (error !== undefined) throw error;
  return new URL(response.headers.get("Location")!);
}

const domain = "tenant.eu.auth0.com";
const okta = { issuer: "https://example.okta.com" };
const providers: [ExternalAuthProvider, boolean][] = [
  [createCodeHostAuthProvider(registration), false],
  [createIdentityCloudAuthProvider({ ...registration, domain }), true],
  [createMicroblogAuthProvider(registration), false],
  [createOAuthProvider(oauth), false],
  [createOfficeSuiteAuthProvider(registration), false],
  [createPortalAuthProvider(registration), false],
  [createSocialAuthProvider(registration), false],
  [createWorkforceIdAuthProvider({ ...registration, ...okta }), true],
];

for (const [{ canReauthenticate, name }, expected] of providers) {
  Deno.test(`canReauthenticate of ${name} is ${expected}`, () => {
    assertEquals(canReauthenticate, expected);
  });
}

Deno.test("canReauthenticate is an option if the registration decides it", () => {
  const provider = createOfficeSuiteAuthProvider({
    ...registration,
    canReauthenticate: true,
  });
  assertEquals(provider.canReauthenticate, true);
});
