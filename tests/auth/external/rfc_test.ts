// Requirements of the standards for a client that no other file tests, by
// section, and rules of the spec.
import {
  completeAuth,
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createOAuthProvider,
  createOfficeSuiteAuthProvider,
  createOIDCAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
  externalAuthCallbacks,
  finishExternalAuth,
  refreshExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { base64url } from "jose";
import { clientOf, Login, logIn } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";

Deno.test("RFC 6749, sections 3.2 and 4.1.3: the code is exchanged by POST, as a form, with nothing in the query", async () => {
  const provider = await TestProvider.create();
  await logIn(provider);
  const { form, headers, method, query } = provider.last("/token");
  assertEquals(method, "POST");
  assertEquals(
    headers.get("Content-Type"),
    "application/x-www-form-urlencoded",
  );
  assertEquals([...query], []);
  assertEquals([...form.keys()].sort(), [
    "code",
    "code_verifier",
    "grant_type",
    "redirect_uri",
  ]);
});

Deno.test("RFC 6749, section 3.2: the query of the token endpoint is kept", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      token_endpoint: `${metadata.token_endpoint}?tenant=1`,
    }),
  };
  assertEquals((await logIn(provider)).profile, USER);
  assertEquals(provider.last("/token").query.get("tenant"), "1");
});

for (const method of ["client_secret_basic", "client_secret_post"]) {
  Deno.test(`RFC 6749, section 2.3: one way to authenticate per request, with ${method}`, async () => {
    const provider = await TestProvider.create();
    provider.authMethods = [method];
    await logIn(provider);
    const { form, headers } = provider.last("/token");
    const ways = [
      headers.has("Authorization"),
      form.has("client_secret"),
      form.has("client_assertion"),
    ];
    assertEquals(ways.filter(Boolean).length, 1);
  });
}

Deno.test("RFC 6749, section 3.3: without scopes, the parameter is omitted because it must not be empty", async () => {
  const client = createOAuthProvider({
    name: "music",
    issuer: "https://music.example",
    authorizationEndpoint: "https://music.example/authorize",
    tokenEndpoint: "https://music.example/token",
    profileEndpoint: "https://music.example/me",
    scopes: [],
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: "https://app.example/callback",
    parseProfile: (body) => body,
  });
  const router = createRouter({ middleware: [session()] });
  router.get("/login", (context) => startExternalAuth(client, context));
  const { headers } = await router.fetch("https://app.example/login");
  const { searchParams } = new URL(headers.get("Location")!);
  assertEquals(searchParams.has("scope"), false);
});

Deno.test("RFC 6749, section 6: a refresh requests only granted scopes", async () => {
  const provider = await TestProvider.create();
  const { result } = await logIn(provider);
  assert(result.ok);
  await refreshExternalAuth(clientOf(provider), result.tokens);
  assertEquals(provider.last("/token").form.has("scope"), false);
});

Deno.test("RFC 7636, sections 4.1, 4.2 and 7.1: the verifier has 256 random bits, and the challenge is its SHA-256", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const verifiers: string[] = [];
  for (let i = 0; i < 2; i++) {
    const response = await login.visit("/login");
    const location = response.headers.get("Location")!;
    await login.end(provider.authorize(location));
    const verifier = provider.last("/token").form.get("code_verifier")!;
    assert(/^[\w-]{43}$/.test(verifier));
    const bytes = new TextEncoder().encode(verifier);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assertEquals(
      new URL(location).searchParams.get("code_challenge"),
      base64url.encode(hash),
    );
    assert(!location.includes(verifier));
    verifiers.push(verifier);
  }
  assertNotEquals(verifiers[0], verifiers[1]);
});

Deno.test("RFC 9207, section 2.4: an error from another issuer is rejected", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => {
      params.delete("code");
      params.set("error", "access_denied");
      params.set("iss", "https://evil.example");
    },
  };
  assertEquals((await logIn(provider)).code, "issuer_mismatch");
});

Deno.test("RFC 9207, section 2.4: an error without iss is rejected if the metadata announces iss", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      authorization_response_iss_parameter_supported: true,
    }),
    callback: (params) => {
      params.delete("code");
      params.set("error", "access_denied");
    },
  };
  assertEquals((await logIn(provider)).code, "issuer_mismatch");
});

Deno.test("RFC 9700, section 4.12: redirects do not forward the code or the secret", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const provider = await TestProvider.create();
    provider.faults = {
      respond: ({ path }) =>
        path === "/token"
          ? Response.json({}, {
            status,
            headers: { Location: "https://evil.example/" },
          })
          : undefined,
    };
    assertEquals((await logIn(provider)).code, "token_request_failed");
    assertEquals(provider.count("/"), 0);
  }
});

Deno.test("RFC 9700, section 4.3.2: no access token is in any query", async () => {
  const provider = await TestProvider.create();
  const { result } = await logIn(provider);
  assert(result.ok);
  for (const { query } of provider.requests) {
    assert(!String(query).includes(result.tokens.accessToken));
  }
});

for (const sub of [undefined, null, 248289761001, [USER.sub], `${USER.sub} `]) {
  Deno.test(`OpenID Connect Core 1.0, section 5.3.2: userinfo with the sub ${JSON.stringify(sub)} is not used`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { userinfo: (claims) => ({ ...claims, sub }) };
    assertEquals((await logIn(provider)).code, "userinfo_mismatch");
  });
}

Deno.test("OpenID Connect Core 1.0, section 3.1.2.1: each login has a different nonce", async () => {
  const login = new Login(await TestProvider.create());
  const first = await login.visit("/login");
  const { searchParams } = new URL(first.headers.get("Location")!);
  login.provider.faults = {
    claims: (claims) => ({ ...claims, nonce: searchParams.get("nonce") }),
  };
  assertEquals((await login.run()).code, "id_token_invalid");
});

Deno.test("OpenID Connect Core 1.0, section 5.7: issuer and subject identify a user", async () => {
  const one = await TestProvider.create("https://one.example");
  const two = await TestProvider.create("https://two.example");
  const keys = [];
  for (const provider of [one, two]) {
    const { result } = await logIn(provider);
    assert(result.ok);
    keys.push([result.issuer, result.subject]);
  }
  assertEquals(keys, [[one.issuer, USER.sub], [two.issuer, USER.sub]]);
});

const registration = {
  clientId: "app",
  clientSecret: "s3cret",
  redirectUri: "https://app.example/callback",
};

const oidc = ["openid", "email", "profile"];

const factories = [
  [createPortalAuthProvider(registration), "portal", oidc],
  [createCodeHostAuthProvider(registration), "code-host", ["user:email"]],
  [createOfficeSuiteAuthProvider(registration), "office-suite", oidc],
  [createSocialAuthProvider(registration), "social", [
    "email",
    "public_profile",
  ]],
  [createMicroblogAuthProvider(registration), "microblog", [
    "users.read",
    "tweet.read",
  ]],
  [
    createIdentityCloudAuthProvider({ ...registration, domain: "t.auth0.com" }),
    "identity-cloud",
    oidc,
  ],
  [
    createWorkforceIdAuthProvider({
      ...registration,
      issuer: "https://t.okta.com",
    }),
    "workforce-id",
    oidc,
  ],
  [
    createOIDCAuthProvider({
      ...registration,
      name: "own",
      issuer: "https://id.example",
    }),
    "own",
    oidc,
  ],
] as const;

for (const [provider, name, scopes] of factories) {
  Deno.test(`the provider "${name}" requests ${scopes.join(" ")} by default (spec 4.3)`, () => {
    assertEquals(provider.name, name);
    assertEquals(provider.scopes, [...scopes]);
    assertEquals(provider.clientId, registration.clientId);
    assertEquals(provider.redirectUri, registration.redirectUri);
  });
}

Deno.test("all external providers accept clientId, clientSecret, redirectUri and scopes (spec 2.5)", () => {
  const options = { ...registration, scopes: ["openid", "email"] };
  const made = [
    createPortalAuthProvider(options),
    createCodeHostAuthProvider(options),
    createOfficeSuiteAuthProvider(options),
    createSocialAuthProvider(options),
    createMicroblogAuthProvider(options),
    createIdentityCloudAuthProvider({ ...options, domain: "t.auth0.com" }),
    createWorkforceIdAuthProvider({ ...options, issuer: "https://t.okta.com" }),
  ];
  for (const { scopes } of made) assertEquals(scopes, options.scopes);
});

Deno.test("the flow of the example: the profile logs in, an error is a 401 with a text body (spec 4.4, 5.2.4, 7)", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const client = clientOf(provider, {
    redirectUri: "https://app.example/auth/test/callback",
  });
  login.add("/auth/test", "/unused", client);
  login.router.get("/auth/test/callback", async (context) => {
    const profile = await finishExternalAuth(client, context);
    if (!profile) return new Response("Authentication failed", { status: 401 });
    context.get(Session).set("userId", profile.sub);
    return new Response(null, { status: 302, headers: { Location: "/" } });
  });
  login.router.get(
    "/",
    (context) =>
      new Response(String(context.get(Session).userId ?? "anonymous")),
  );

  const refused = await login.visit("/auth/test/callback?code=c&state=s");
  assertEquals(refused.status, 401);
  assertEquals(await refused.text(), "Authentication failed");
  assertEquals(await (await login.visit("/")).text(), "anonymous");

  const accepted = await login.visit(await login.begin("/auth/test"));
  assertEquals(accepted.status, 302);
  assertEquals(await (await login.visit("/")).text(), USER.sub);
});

Deno.test("a pending login ends when the user logs in (spec 5.2.1)", async () => {
  const login = new Login(await TestProvider.create());
  login.router.post("/password", (context) => {
    context.get(Session).set("userId", 1);
    return new Response();
  });
  const callback = await login.begin();
  await login.visit("/password", { method: "POST" });
  assertEquals((await login.end(callback)).code, "state_unknown");
});

const sessions = {
  "in encrypted cookies": { secrets: ["a secret of at least 32 characters"] },
  "that are read lazily": { lazy: true },
};

for (const [name, options] of Object.entries(sessions)) {
  Deno.test(`external logins work with sessions ${name}`, async () => {
    const provider = await TestProvider.create();
    const client = clientOf(provider);
    const login = new Login(provider);
    const router = createRouter({
      middleware: [externalAuthCallbacks([client]), session(options)],
    });
    login.moveTo(router);
    login.add("/login", "/callback", client);
    router.post("/complete", async (context) => {
      const { userId } = await completeAuth(context, 7);
      return new Response(String(userId));
    });
    assertEquals((await login.run()).profile, USER);
    const callbacks = [await login.begin(), await login.begin()];
    for (const callback of callbacks) {
      assertEquals((await login.end(callback)).code, "");
    }
    const completed = await login.visit("/complete", { method: "POST" });
    assertEquals(await completed.text(), "7");
  });
}
