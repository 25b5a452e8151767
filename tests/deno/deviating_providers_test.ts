/**
 * The adapters of "Providers that deviate" in docs/add_a_provider.md, each
 * against a fake that answers and rejects as the vendor's documentation and
 * reports of developers say.
 */
import {
  createOAuthProvider,
  createOIDCAuthProvider,
  type ExternalAuthProvider,
  type ExternalAuthProviderOptions,
  type ExternalAuthResult,
  externalAuthResult,
  refreshExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import { base64url, SignJWT } from "jose";
import { codeBlocks } from "./_markdown.ts";
import { Service } from "../auth/_service.ts";
import { TestProvider } from "../auth/_test_provider.ts";

const guide = await Deno.readTextFile(
  new URL("../../docs/add_a_provider.md", import.meta.url),
);

/** Loads an adapter from the guide. */
async function adapter<
  Arguments extends unknown[] = [options: ExternalAuthProviderOptions],
>(name: string): Promise<(...args: Arguments) => ExternalAuthProvider> {
  const block = codeBlocks(guide).find(({ text }) =>
    text.includes(`function ${name}(`)
  );
  assert(block, `the guide has no ${name}`);
  const code = encodeURIComponent(`${block.text}\nexport { ${name} };`);
  const module = await import(`data:application/typescript,${code}`);
  return module[name];
}

const client = {
  clientId: "app-id",
  clientSecret: "s3cret-of-the-client",
  redirectUri: "https://app.example/callback",
} satisfies ExternalAuthProviderOptions;

/** A request to a vendor, with the form and the JSON of its body. */
interface VendorRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
  readonly form: URLSearchParams;
}

type Route = (request: VendorRequest) => unknown;

/** A vendor's endpoints, by method and URL without the query. */
class Vendor {
  readonly requests: VendorRequest[] = [];
  /** The parameters of the last authorization request. */
  authorization = new URLSearchParams();

  constructor(readonly routes: Readonly<Record<string, Route>>) {}

  readonly fetch = (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address);
    const body = String(init.body ?? "");
    const request: VendorRequest = {
      method: init.method ?? "GET",
      url,
      headers: new Headers(init.headers),
      body,
      form: new URLSearchParams(body),
    };
    this.requests.push(request);
    const route = this.routes[`${request.method} ${url.origin}${url.pathname}`];
    if (route === undefined) return Promise.reject(new TypeError("no route"));
    const answer = route(request);
    return Promise.resolve(
      answer instanceof Response ? answer : Response.json(answer),
    );
  };

  /** Acts as the user's browser at the vendor. */
  readonly authorize = (location: string): string => {
    this.authorization = new URL(location).searchParams;
    const callback = new URL(this.authorization.get("redirect_uri")!);
    callback.searchParams.set("code", "code-1");
    callback.searchParams.set("state", this.authorization.get("state")!);
    return callback.href;
  };

  /** Returns `true` for the verifier of the last authorization request. */
  async isVerifier(verifier: string | null): Promise<boolean> {
    const bytes = new TextEncoder().encode(verifier ?? "");
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return base64url.encode(new Uint8Array(digest)) ===
      this.authorization.get("code_challenge");
  }
}

/** Runs a complete login. */
async function logIn<Profile>(
  provider: ExternalAuthProvider<Profile>,
  authorize: (location: string) => string,
): Promise<ExternalAuthResult<Profile>> {
  let result: ExternalAuthResult<Profile> | undefined;
  const router = createRouter({ middleware: [session()] });
  router.get("/login", (context) => startExternalAuth(provider, context));
  router.get("/callback", async (context) => {
    result = await externalAuthResult(provider, context);
    return new Response();
  });
  const browser = createTestClient(router);
  const started = await browser.fetch("/login");
  await browser.fetch(authorize(started.headers.get("Location")!));
  return result!;
}

/** Returns the user, or the code of the error. */
function outcome(result: ExternalAuthResult<unknown>): unknown {
  if (!result.ok) return result.error.code;
  const { issuer, subject, profile } = result;
  return { issuer, subject, profile };
}

/** Returns `true` if the form has the client's id and secret, and the code. */
function isClient({ form }: VendorRequest, idName = "client_id"): boolean {
  return form.get(idName) === client.clientId &&
    form.get("client_secret") === client.clientSecret &&
    form.get("code") === "code-1" &&
    form.get("redirect_uri") === client.redirectUri &&
    form.get("grant_type") === "authorization_code";
}

function refuse(error: string, status = 400): Response {
  return Response.json({ error }, { status });
}

function needsBearer(token: string, answer: unknown): Route {
  return ({ headers }) =>
    headers.get("Authorization") === `Bearer ${token}`
      ? answer
      : refuse("invalid_token", 401);
}

for (const type of [{}, { token_type: "Bearer" }]) {
  Deno.test(`LinkedIn logs in although it has no nonce and rejects a code verifier: ${JSON.stringify(type)}`, async () => {
    const vendor = new Vendor({
      "POST https://www.linkedin.com/oauth/v2/accessToken": (request) =>
        !isClient(request) || request.form.has("code_verifier")
          ? refuse("invalid_client", 401)
          : {
            access_token: "linkedin-token",
            expires_in: 5183999,
            scope: "email,openid,profile",
            ...type,
            id_token: "header.claims-without-a-nonce.signature",
          },
      "GET https://api.linkedin.com/v2/userinfo": needsBearer(
        "linkedin-token",
        {
          sub: "782bbtaQ",
          name: "John Doe",
          given_name: "John",
          family_name: "Doe",
          picture: "https://media.example/john",
          locale: { country: "US", language: "en" },
          email: "doe@example.com",
          email_verified: true,
        },
      ),
    });
    const createLinkedIn = await adapter("createLinkedIn");
    const linkedin = createLinkedIn({ ...client, fetch: vendor.fetch });
    assertEquals(outcome(await logIn(linkedin, vendor.authorize)), {
      issuer: "https://www.linkedin.com/oauth",
      subject: "782bbtaQ",
      profile: { sub: "782bbtaQ", name: "John Doe" },
    });
    assertEquals(vendor.authorization.get("scope"), "openid profile email");
  });
}

Deno.test("TikTok logs in and refreshes with client_key", async () => {
  const tokens = {
    access_token: "act.tiktok",
    expires_in: 86400,
    open_id: "723f24d7",
    refresh_expires_in: 31536000,
    refresh_token: "rft.tiktok",
    scope: "user.info.basic",
    token_type: "Bearer",
  };
  const vendor = new Vendor({
    "POST https://open.tiktokapis.com/v2/oauth/token/": (request) => {
      const { form } = request;
      if (form.has("client_id")) return refuse("invalid_request");
      const isRefresh = form.get("grant_type") === "refresh_token" &&
        form.get("client_key") === client.clientId &&
        form.get("client_secret") === client.clientSecret &&
        form.get("refresh_token") === "rft.tiktok";
      return isRefresh || isClient(request, "client_key")
        ? tokens
        : refuse("invalid_client");
    },
    "GET https://open.tiktokapis.com/v2/user/info/": needsBearer("act.tiktok", {
      data: { user: { open_id: "723f24d7", display_name: "Tik" } },
      error: { code: "ok", message: "", log_id: "2022" },
    }),
  });
  const createTikTok = await adapter("createTikTok");
  const tiktok = createTikTok({ ...client, fetch: vendor.fetch });
  const result = await logIn(tiktok, vendor.authorize);
  assertEquals(outcome(result), {
    issuer: "https://www.tiktok.com",
    subject: "723f24d7",
    profile: { id: "723f24d7", name: "Tik" },
  });
  assertEquals(vendor.authorization.get("client_key"), client.clientId);
  assert(await vendor.isVerifier(vendor.requests[0].form.get("code_verifier")));
  assertEquals(
    vendor.requests[1].url.search,
    "?fields=open_id,display_name",
  );
  assert(result.ok);
  const refreshed = await refreshExternalAuth(tiktok, result.tokens);
  assertEquals(refreshed.ok, true);
});

/** Slack's answer of `oauth.v2.access`, with tokens of a bot and a user. */
const SLACK = {
  ok: true,
  access_token: "xoxb-bot",
  token_type: "bot",
  scope: "commands",
  bot_user_id: "U0KRQLJ9H",
  app_id: "A0KRD7HC3",
  team: { name: "Slack Pickleball Team", id: "T9TK3CUKW" },
  enterprise: null,
  authed_user: {
    id: "U1234",
    scope: "users:read",
    access_token: "xoxp-user",
    token_type: "user",
  },
};

const slackAnswers: [string, unknown, unknown][] = [
  ["the user's token", SLACK, {
    issuer: "https://slack.com",
    subject: "T9TK3CUKW/U1234",
    profile: { team_id: "T9TK3CUKW", user_id: "U1234", user: "jane" },
  }],
  [
    "an error with status 200",
    { ok: false, error: "invalid_code" },
    "token_request_refused",
  ],
  ["only the bot's token", {
    ...SLACK,
    authed_user: { id: "U1234" },
  }, "token_response_invalid"],
  ["a token of another type", {
    ...SLACK,
    authed_user: { ...SLACK.authed_user, token_type: "bot" },
  }, "token_response_invalid"],
  ["no authed_user", { ok: true }, "token_response_invalid"],
  [
    "authed_user null",
    { ...SLACK, authed_user: null },
    "token_response_invalid",
  ],
];

for (const [name, answer, expected] of slackAnswers) {
  Deno.test(`Slack v2 answers ${name}`, async () => {
    const vendor = new Vendor({
      "POST https://slack.com/api/oauth.v2.access": ({ headers }) => {
        const pair = `${client.clientId}:${client.clientSecret}`;
        return headers.get("Authorization") === `Basic ${btoa(pair)}`
          ? answer
          : { ok: false, error: "bad_client_secret" };
      },
      "POST https://slack.com/api/auth.test": needsBearer("xoxp-user", {
        ok: true,
        url: "https://pickleball.slack.com/",
        team: "Slack Pickleball Team",
        user: "jane",
        team_id: "T9TK3CUKW",
        user_id: "U1234",
      }),
    });
    const createSlack = await adapter("createSlack");
    const slack = createSlack({ ...client, fetch: vendor.fetch });
    assertEquals(outcome(await logIn(slack, vendor.authorize)), expected);
    assertEquals(vendor.authorization.get("user_scope"), "users:read");
    assertEquals(vendor.authorization.has("scope"), false);
  });
}

Deno.test("Slack v2 without a valid token has no user", async () => {
  const vendor = new Vendor({
    "POST https://slack.com/api/oauth.v2.access": () => SLACK,
    "POST https://slack.com/api/auth.test": () => ({
      ok: false,
      error: "invalid_auth",
      user: "jane",
      team_id: "T9TK3CUKW",
      user_id: "U1234",
    }),
  });
  const createSlack = await adapter("createSlack");
  const slack = createSlack({ ...client, fetch: vendor.fetch });
  assertEquals(
    outcome(await logIn(slack, vendor.authorize)),
    "profile_invalid",
  );
});

Deno.test("Slack for OpenID Connect needs no adapter", async () => {
  const provider = await TestProvider.create("https://slack.com");
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      authorization_endpoint: "https://slack.com/openid/connect/authorize",
      token_endpoint: "https://slack.com/api/openid.connect.token",
      userinfo_endpoint: "https://slack.com/api/openid.connect.userInfo",
      jwks_uri: "https://slack.com/openid/connect/keys",
      response_modes_supported: ["form_post"],
      token_endpoint_auth_methods_supported: [
        "client_secret_post",
        "client_secret_basic",
      ],
      code_challenge_methods_supported: undefined,
    }),
    token: (tokens) => ({ ok: true, ...tokens }),
    userinfo: (claims) => ({ ok: true, ...claims }),
  };
  const discovery = "/.well-known/openid-configuration";
  const service = new Service(provider, {
    [`https://slack.com${discovery}`]: discovery,
    "https://slack.com/api/openid.connect.token": "/token",
    "https://slack.com/api/openid.connect.userInfo": "/userinfo",
    "https://slack.com/openid/connect/keys": "/keys",
  });
  const slack = createOIDCAuthProvider({
    ...service.options(),
    name: "slack",
    issuer: "https://slack.com",
  });
  const result = await logIn(slack, (url) => provider.authorize(url));
  assert(result.ok, Deno.inspect(result));
  assertEquals(result.issuer, "https://slack.com");
});

const instagramTokens: [string, unknown, unknown][] = [
  ["as its documentation says, in data", {
    data: [{
      access_token: "IGAA",
      user_id: "1020",
      permissions: "instagram_business_basic",
    }],
  }, "17841"],
  ["without data", {
    access_token: "IGAA",
    user_id: 17841405793187218,
    permissions: ["instagram_business_basic"],
  }, "17841"],
  ["an empty array", { data: [] }, "token_response_invalid"],
  ["null in data", { data: [null] }, "token_response_invalid"],
  ["another token_type", {
    access_token: "IGAA",
    token_type: "mac",
  }, "token_response_invalid"],
];

for (const [name, tokens, expected] of instagramTokens) {
  for (const isWrapped of [false, true]) {
    Deno.test(`Instagram sends tokens ${name}, the profile ${isWrapped ? "in data" : "directly"}`, async () => {
      const profile = { user_id: "17841", username: "jane" };
      const vendor = new Vendor({
        "POST https://api.instagram.com/oauth/access_token": (request) =>
          isClient(request) ? tokens : Response.json({
            error_type: "OAuthException",
            code: 400,
            error_message: "Matching code was not found",
          }, { status: 400 }),
        "GET https://graph.instagram.com/me": needsBearer(
          "IGAA",
          isWrapped ? { data: [profile] } : profile,
        ),
      });
      const createInstagram = await adapter("createInstagram");
      const instagram = createInstagram({ ...client, fetch: vendor.fetch });
      const result = await logIn(instagram, vendor.authorize);
      assertEquals(result.ok ? result.subject : outcome(result), expected);
    });
  }
}

Deno.test("Instagram without a user id has no user", async () => {
  const vendor = new Vendor({
    "POST https://api.instagram.com/oauth/access_token": () => ({
      access_token: "IGAA",
    }),
    // A number of this size is not exact in JavaScript.
    "GET https://graph.instagram.com/me": () =>
      new Response('{"user_id":17841405793187218,"username":"jane"}', {
        headers: { "Content-Type": "application/json" },
      }),
  });
  const createInstagram = await adapter("createInstagram");
  const instagram = createInstagram({ ...client, fetch: vendor.fetch });
  assertEquals(
    outcome(await logIn(instagram, vendor.authorize)),
    "profile_invalid",
  );
});

Deno.test("Shopify logs in without token_type, and with its own header", async () => {
  const host = "https://example.myshopify.com";
  const vendor = new Vendor({
    [`POST ${host}/admin/oauth/access_token`]: ({ form }) =>
      form.get("client_id") === client.clientId &&
        form.get("client_secret") === client.clientSecret &&
        form.get("code") === "code-1"
        ? { access_token: "shpat_1", scope: "read_products" }
        : refuse("invalid_request"),
    [`POST ${host}/admin/api/2026-10/graphql.json`]: ({ body, headers }) => {
      const isRead = headers.get("X-Shopify-Access-Token") === "shpat_1" &&
        headers.get("Content-Type") === "application/json" &&
        !headers.has("Authorization");
      assertEquals(JSON.parse(body).query, "{ shop { id name } }");
      return isRead
        ? { data: { shop: { id: "gid://shopify/Shop/1", name: "Example" } } }
        : Response.json({ errors: "[API] Invalid API key" }, { status: 401 });
    },
  });
  const createShopify = await adapter<
    [shop: string, options: ExternalAuthProviderOptions]
  >("createShopify");
  const shopify = createShopify("example.myshopify.com", {
    ...client,
    fetch: vendor.fetch,
  });
  assertEquals(outcome(await logIn(shopify, vendor.authorize)), {
    issuer: host,
    subject: "gid://shopify/Shop/1",
    profile: { id: "gid://shopify/Shop/1", name: "Example" },
  });
});

Deno.test("LINE logs in although the client secret signs its ID token", async () => {
  const secret = new TextEncoder().encode(client.clientSecret.padEnd(32));
  const idToken = await new SignJWT({
    iss: "https://access.line.me",
    sub: "U1",
  })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(secret);
  const vendor = new Vendor({
    "POST https://api.line.me/oauth2/v2.1/token": (request) =>
      isClient(request)
        ? {
          access_token: "line-token",
          expires_in: 2592000,
          id_token: idToken,
          refresh_token: "Aa1FdeggRhTnPNNpxr8p",
          scope: "profile openid",
          token_type: "Bearer",
        }
        : refuse("invalid_request"),
    "GET https://api.line.me/oauth2/v2.1/userinfo": needsBearer("line-token", {
      sub: "U1234567890abcdef",
      name: "Taro Line",
      picture: "https://profile.line-scdn.net/0h",
    }),
  });
  const createLine = await adapter("createLine");
  const line = createLine({ ...client, fetch: vendor.fetch });
  const result = await logIn(line, vendor.authorize);
  assertEquals(outcome(result), {
    issuer: "https://access.line.me",
    subject: "U1234567890abcdef",
    profile: { sub: "U1234567890abcdef", name: "Taro Line" },
  });
  assert(await vendor.isVerifier(vendor.requests[0].form.get("code_verifier")));
});

const B2C = {
  tenant: "contoso",
  tenantId: "11111111-2222-3333-4444-555555555555",
  policy: "b2c_1_login",
};

/** Creates Azure AD B2C, which sends an access token only for its scope. */
async function azure(): Promise<[Service, (location: string) => string]> {
  const host = "https://contoso.b2clogin.com";
  const policy = `${host}/contoso.onmicrosoft.com/b2c_1_login`;
  const provider = await TestProvider.create(`${host}/${B2C.tenantId}/v2.0/`);
  provider.authMethods = ["client_secret_post"];
  let scopes: string[] = [];
  provider.faults.token = ({ access_token, ...tokens }) => ({
    ...tokens,
    ...scopes.includes(provider.clientId) && { access_token },
  });
  const service = new Service(provider, {
    [`${policy}/oauth2/v2.0/token`]: "/token",
    [`${policy}/discovery/v2.0/keys`]: "/keys",
  });
  return [service, (location) => {
    assertEquals(new URL(location).pathname.split("/")[2], B2C.policy);
    scopes = new URL(location).searchParams.get("scope")!.split(" ");
    return provider.authorize(location);
  }];
}

Deno.test("Azure AD B2C logs in with the client id as a scope", async () => {
  const [service, authorize] = await azure();
  const createB2C = await adapter<
    [tenant: typeof B2C, options: ExternalAuthProviderOptions]
  >("createB2C");
  const b2c = createB2C(B2C, service.options());
  const result = await logIn(b2c, authorize);
  assert(result.ok, String(outcome(result)));
  assertEquals(result.issuer, service.provider.issuer);
  assertEquals(result.subject, service.provider.user.sub);
});

const conversions: [string, (body: unknown) => unknown, string][] = [
  ["null", () => null, "token_response_invalid"],
  ["undefined", () => undefined, "token_response_invalid"],
  ["a string", () => "token", "token_response_invalid"],
  ["no token", () => ({ token_type: "bearer" }), "token_response_invalid"],
  ["a promise", () => Promise.resolve({}), "token_response_invalid"],
  [
    "another type",
    (body) => ({ ...Object(body), token_type: "mac" }),
    "token_response_invalid",
  ],
  ["a token that is an array", () => ({
    token_type: "bearer",
    access_token: ["1"],
  }), "token_response_invalid"],
  ["an error", (body) => {
    throw new Error(JSON.stringify(body));
  }, "token_response_invalid"],
  [
    "tokens",
    (body) => ({ token_type: "bearer", ...Object(body) }),
    "",
  ],
];

for (const [name, parseTokenResponse, expected] of conversions) {
  Deno.test(`createOAuthProvider() checks what parseTokenResponse returns: ${name}`, async () => {
    const vendor = new Vendor({
      "POST https://music.example/token": () => ({ access_token: "m-secret" }),
      "GET https://music.example/me": needsBearer("m-secret", { id: "1" }),
    });
    const reported: unknown[] = [];
    const music = createOAuthProvider({
      ...client,
      name: "music",
      issuer: "https://music.example",
      authorizationEndpoint: "https://music.example/authorize",
      tokenEndpoint: "https://music.example/token",
      profileEndpoint: "https://music.example/me",
      scopes: [],
      parseProfile: ({ id }) => ({ id }),
      parseTokenResponse: parseTokenResponse as () => null,
      onError: (error) => reported.push(error, error.cause),
      fetch: vendor.fetch,
    });
    const result = await logIn(music, vendor.authorize);
    assertEquals(result.ok ? "" : result.error.code, expected);
    assertEquals(Deno.inspect(reported).includes("m-secret"), false);
  });
}

Deno.test("createOAuthProvider() refuses a token response without token_type by default", async () => {
  const vendor = new Vendor({
    "POST https://music.example/token": () => ({ access_token: "m-secret" }),
  });
  const music = createOAuthProvider({
    ...client,
    name: "music",
    issuer: "https://music.example",
    authorizationEndpoint: "https://music.example/authorize",
    tokenEndpoint: "https://music.example/token",
    profileEndpoint: "https://music.example/me",
    scopes: [],
    parseProfile: ({ id }) => ({ id }),
    fetch: vendor.fetch,
  });
  assertEquals(
    outcome(await logIn(music, vendor.authorize)),
    "token_response_invalid",
  );
});
