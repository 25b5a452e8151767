// Complete logins at npm:oidc-provider, through its own pages.
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "@std/assert";
import {
  backChannelLogout,
  completeAuth,
  createOIDCAuthProvider,
  endSessionUrl,
  externalAuthCallbacks,
  type ExternalAuthProvider,
  type ExternalAuthResult,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  type OIDCProfile,
  refreshExternalAuth,
  revokeExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createDPoPBinding } from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { launch, testInChromium } from "../deno/_chromium.ts";
import {
  type RunningProvider,
  SECRET,
  serveOIDCProvider,
} from "../deno/_oidc_provider.ts";
import { HTTPBrowser } from "../deno/_http_browser.ts";
import { serveLocally } from "../deno/_serve.ts";

type Result = ExternalAuthResult<OIDCProfile>;

const clients: Record<
  string,
  (provider: RunningProvider) => Partial<OIDCAuthProviderOptions>
> = {
  basic: () => ({}),
  post: () => ({ clientAuthentication: "post" }),
  es256: ({ clientKey }) => ({
    clientSecret: undefined,
    privateKey: clientKey,
  }),
  public: () => ({ clientSecret: undefined, clientAuthentication: "none" }),
  par: () => ({ pushedAuthorization: true }),
  posted: () => ({ responseMode: "form_post" }),
  bound: () => ({ dpop: createDPoPBinding() }),
};

for (const [id, options] of Object.entries(clients)) {
  Deno.test(`npm:oidc-provider: the client "${id}" logs in through the provider's pages`, async () => {
    await using app = await startApp([id], options);
    const { browser, page, result } = await app.logIn(id, "jane");
    assertEquals(page, "jane");
    assert(result.ok);
    assertEquals(result.issuer, app.issuer);
    assertEquals(result.profile, {
      sub: "jane",
      name: "Jane Doe",
      picture: "https://id.example/jane.png",
      email: "jane@example.com",
      email_verified: true,
    });
    assertEquals(await browser.open(`${app.origin}/`), "jane");
  });
}

Deno.test("npm:oidc-provider: a canceled login differs from a failure", async () => {
  await using app = await startApp(["basic"], clients.basic!);
  const browser = new HTTPBrowser();
  const page = await browser.open(`${app.origin}/basic/login`);
  const [, abort] = /href="([^"]*\/abort)"/.exec(page)!;
  assertEquals(await browser.open(abort), "access_denied");
});

Deno.test("npm:oidc-provider: maxAge, prompt and acr work, with their claims in the ID token", async () => {
  await using app = await startApp(["basic"], () => ({
    maxAge: 60,
    prompt: "login",
  }));
  const begun = Math.floor(Date.now() / 1000);
  const { result } = await app.logIn("basic", "jane");
  assert(result.ok);
  assert(Number(result.claims.auth_time) >= begun);
});

Deno.test("npm:oidc-provider: prompt none without a session at the provider is authorization_refused", async () => {
  await using app = await startApp(["basic"], () => ({ prompt: "none" }));
  const browser = new HTTPBrowser();
  assertEquals(
    await browser.open(`${app.origin}/basic/login`),
    "authorization_refused login_required",
  );
});

Deno.test("npm:oidc-provider: refresh rotates tokens, and old and revoked refresh tokens are rejected", async () => {
  await using app = await startApp(["basic"], () => ({
    scopes: ["openid", "email", "profile", "offline_access"],
    prompt: "consent",
  }));
  const { result } = await app.logIn("basic", "jane");
  assert(result.ok);
  const { tokens } = result;
  const client = app.clients.basic;
  const rotated = await refreshExternalAuth(client, tokens);
  assert(rotated.ok);
  assertNotEquals(rotated.tokens.refreshToken, tokens.refreshToken);
  assertNotEquals(rotated.tokens.accessToken, tokens.accessToken);
  assertEquals(rotated.tokens.subject, "jane");

  assertEquals(await revokeExternalAuth(client, rotated.tokens), { ok: true });
  for (const old of [rotated.tokens, tokens]) {
    const refused = await refreshExternalAuth(client, old);
    assertEquals(!refused.ok && refused.error.providerError, "invalid_grant");
  }
});

Deno.test("npm:oidc-provider: DPoP binds tokens to a key, also after a refresh (RFC 9449)", async () => {
  await using app = await startApp(["bound"], () => ({
    scopes: ["openid", "email", "profile", "offline_access"],
    prompt: "consent",
    dpop: createDPoPBinding(),
  }));
  const { result } = await app.logIn("bound", "jane");
  assert(result.ok);
  assertEquals(result.profile.name, "Jane Doe");
  const rotated = await refreshExternalAuth(app.clients.bound, result.tokens);
  assert(rotated.ok);
  assertEquals(rotated.tokens.dpopKey, result.tokens.dpopKey);
  for (const scheme of ["Bearer", "DPoP"]) {
    // The request has no proof.
    const response = await fetch(`${app.issuer}/me`, {
      headers: { Authorization: `${scheme} ${rotated.tokens.accessToken}` },
    });
    await response.body?.cancel();
    assert(!response.ok);
  }
});

for (
  const [id, elsewhere, what] of [
    ["logout", "nobody", "all sessions of the user"],
    ["logout-of-session", "jane", "this session"],
  ] as const
) {
  Deno.test({
    name:
      `npm:oidc-provider: logout redirects back and ends ${what} here by back channel`,
    // The provider does not read the response to its logout token.
    sanitizeResources: false,
    fn: () => logOutByBackChannel(id, elsewhere),
  });
}

async function logOutByBackChannel(id: string, elsewhere: string) {
  await using app = await startApp([id], () => ({}));
  const { browser: other } = await app.logIn(id, "jane");
  const { browser, result } = await app.logIn(id, "jane");
  assert(result.ok);
  assertEquals(await browser.open(`${app.origin}/`), "jane");

  const url = await endSessionUrl(app.clients[id]!, {
    idToken: result.tokens.idToken,
    postLogoutRedirectUri: `${app.origin}/bye`,
    state: "s1",
  });
  const page = await browser.open(url!.href);
  assertMatch(page, /Do you want to sign-out/);
  assertEquals(await browser.submit(page, { logout: "yes" }), "bye s1");
  assertEquals(await browser.open(`${app.origin}/`), "nobody");
  assertEquals(await other.open(`${app.origin}/`), elsewhere);
}

for (const id of ["basic", "posted"]) {
  testInChromium(
    `Chromium: the client "${id}" logs in through the pages of npm:oidc-provider`,
    async () => {
      await using app = await startApp([id], clients[id]!);
      await using browser = await launch();
      const page = await browser.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(`${app.origin}/${id}/login`);
      await page.locator("input[name=login]").fill("jane");
      await page.locator("input[name=password]").fill("x");
      await page.getByRole("button", { name: "Sign-in" }).click();
      await page.getByRole("button", { name: "Continue" }).click();
      await page.waitForURL(`${app.origin}/${id}/callback**`);
      assertEquals(await page.locator("body").innerText(), "jane");
      await page.goto(`${app.origin}/`);
      assertEquals(await page.locator("body").innerText(), "jane");
    },
  );
}

/** Starts the provider and an application with a login for each client. */
async function startApp(
  ids: readonly string[],
  options: (provider: RunningProvider) => Partial<OIDCAuthProviderOptions>,
) {
  const ready = Promise.withResolvers<ReturnType<typeof createRouter>>();
  const server = serveLocally(async (request, info) =>
    (await ready.promise).fetch(request, info)
  );
  const origin = `http://localhost:${server.addr.port}`;
  const provider = await serveOIDCProvider(origin);
  const made: Record<string, ExternalAuthProvider<OIDCProfile>> = {};
  for (const id of ids) {
    made[id] = createOIDCAuthProvider({
      name: id,
      issuer: provider.issuer,
      clientId: id,
      clientSecret: SECRET,
      redirectUri: `${origin}/${id}/callback`,
      allowInsecureLoopback: true,
      ...options(provider),
    });
  }
  const results: Result[] = [];
  ready.resolve(createApp(made, results));
  return {
    origin,
    issuer: provider.issuer,
    clients: made,
    /** Logs in through the pages, in a separate browser. */
    async logIn(id: string, login: string) {
      const browser = new HTTPBrowser();
      const signIn = await browser.open(`${origin}/${id}/login`);
      let page = await browser.submit(signIn, { login, password: "x" });
      page = await browser.submit(page, {});
      // A page with form_post submits itself by script.
      if (page.includes("<form")) page = await browser.submit(page, {});
      return { browser, page, result: results.at(-1)! };
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await provider[Symbol.asyncDispose]();
    },
  };
}

function createApp(
  clients: Record<string, ExternalAuthProvider<OIDCProfile>>,
  results: Result[],
) {
  const store = createMemorySessionStore();
  const router = createRouter({
    middleware: [
      externalAuthCallbacks(Object.values(clients)),
      crossOriginProtection(),
      session({ store }),
    ],
  });
  for (const [id, client] of Object.entries(clients)) {
    router.get(`/${id}/login`, (context) => startExternalAuth(client, context));
    router.get(`/${id}/callback`, async (context) => {
      const result = await externalAuthResult(client, context);
      results.push(result);
      if (!result.ok) {
        const { code, providerError } = result.error;
        return new Response(
          code === providerError ? code : `${code} ${providerError}`,
        );
      }
      await completeAuth(context, result.subject);
      return new Response(result.subject);
    });
    router.post(
      `/${id}/back-channel`,
      (context) => backChannelLogout(client, context, { store }),
    );
  }
  router.get("/bye", ({ url }) => {
    return new Response(`bye ${url.searchParams.get("state")}`);
  });
  router.get("/", (context) => {
    return new Response(String(context.get(Session).userId ?? "nobody"));
  });
  return router;
}
