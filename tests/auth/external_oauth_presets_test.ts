// The named providers with OAuth 2.0 only, tested with models of the real
// services at their real addresses, and custom providers.
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  createMicroblogAuthProvider,
  createOAuthProvider,
  createSocialAuthProvider,
} from "@gatehouse/web/auth";
import { codeOf, Service, visit } from "./_service.ts";
import { type Faults, TestProvider } from "./_test_provider.ts";

type Body = Record<string, unknown>;

const FACEBOOK = "https://graph.facebook.com/v23.0";

async function facebook(profile: unknown, faults: Faults = {}) {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  provider.faults = {
    respond: ({ path }) => path === "/me" ? Response.json(profile) : undefined,
    token: ({ access_token }) => ({
      access_token,
      token_type: "bearer",
      expires_in: 5183944,
    }),
    ...faults,
  };
  return new Service(provider, {
    [`${FACEBOOK}/oauth/access_token`]: "/token",
    [`${FACEBOOK}/me`]: "/me",
  });
}

Deno.test("createSocialAuthProvider() returns the profile and sends a proof of the secret (spec 4.3)", async () => {
  const service = await facebook({
    id: "10150000000000000",
    name: "Jane Doe",
    email: "jane@example.com",
    picture: { data: { height: 50, url: "https://scontent.example/1.jpg" } },
  });
  const client = createSocialAuthProvider(service.options());
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, {
    id: "10150000000000000",
    name: "Jane Doe",
    email: "jane@example.com",
    picture: "https://scontent.example/1.jpg",
  });
  assert(result.ok);
  assertEquals([result.issuer, result.subject], [
    "https://www.facebook.com",
    "10150000000000000",
  ]);
  assertEquals(
    location.href.split("?")[0],
    "https://www.facebook.com/v23.0/dialog/oauth",
  );
  assertEquals(location.searchParams.get("scope"), "email public_profile");

  const { headers, query } = service.provider.last("/me");
  assertEquals(query.get("fields"), "id,name,email,picture");
  assertEquals(query.has("access_token"), false);
  const token = headers.get("Authorization")!.replace("Bearer ", "");
  assertEquals(
    query.get("appsecret_proof"),
    await hmac(service.provider.clientSecret, token),
  );
});

Deno.test("createSocialAuthProvider() returns null for data that the user does not share", async () => {
  const service = await facebook({ id: "1" });
  const client = createSocialAuthProvider(service.options());
  assertEquals((await visit(service, client)).profile, {
    id: "1",
    name: null,
    email: null,
    picture: null,
  });
});

const facebookProfiles = [{}, { id: 1 }, { id: "" }, { id: null }, [], {
  error: { message: "x" },
}];

for (const profile of facebookProfiles) {
  Deno.test(`createSocialAuthProvider() rejects the profile ${JSON.stringify(profile)}`, async () => {
    const service = await facebook(profile);
    const client = createSocialAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "profile_invalid");
  });
}

Deno.test("createSocialAuthProvider() reads errors that are objects", async () => {
  const service = await facebook({}, {
    respond: ({ path }) =>
      path === "/token"
        ? Response.json({
          error: {
            message: "This authorization code has been used.",
            type: "OAuthException",
            code: 100,
            fbtrace_id: "A1",
          },
        }, { status: 400 })
        : undefined,
  });
  const client = createSocialAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(!result.ok);
  assertEquals(result.error.code, "token_request_refused");
  assertEquals(result.error.providerError, "OAuthException");
});

Deno.test("createSocialAuthProvider() reads a callback with error, error_reason and error_description", async () => {
  const service = await facebook({}, {
    callback: (params) => {
      params.delete("code");
      params.set("error", "access_denied");
      params.set("error_reason", "user_denied");
      params.set("error_description", "Permissions error");
    },
  });
  const client = createSocialAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "access_denied");
});

Deno.test("createSocialAuthProvider() sends no proof for a public client", async () => {
  const service = await facebook({ id: "1" });
  service.provider.authMethods = ["none"];
  const client = createSocialAuthProvider({
    ...service.options(),
    clientSecret: undefined,
    clientAuthentication: "none",
  });
  assertEquals(codeOf(await visit(service, client)), "");
  assertEquals(
    service.provider.last("/me").query.has("appsecret_proof"),
    false,
  );
});

Deno.test("createSocialAuthProvider() uses a version in its URLs", async () => {
  const service = await facebook({ id: "1" });
  const client = createSocialAuthProvider({
    ...service.options(),
    apiVersion: "v99.0",
  });
  await visit(service, client);
  assertEquals(service.urls, [
    "https://graph.facebook.com/v99.0/oauth/access_token",
  ]);
  assertThrows(
    () =>
      createSocialAuthProvider({ ...service.options(), apiVersion: "latest" }),
    TypeError,
    "apiVersion",
  );
});

async function x(data: unknown, faults: Faults = {}): Promise<Service> {
  const provider = await TestProvider.create();
  provider.clientId = "UFRUc1RrM2Zf-_MTpjaQ";
  provider.clientSecret = "s3cret-_with+every/sign=";
  provider.faults = {
    respond: ({ headers, path }) => {
      if (path === "/2/users/me") return Response.json({ data });
      const { clientId, clientSecret } = provider;
      const isRaw = headers.get("Authorization") ===
        `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
      return isRaw
        ? Response.json({ access_token: "a", token_type: "bearer" })
        : Response.json({ error: "unauthorized_client" }, { status: 401 });
    },
    ...faults,
  };
  return new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/2/oauth2/token",
    "https://api.x.com/2/users/me": "/2/users/me",
  });
}

const user = {
  id: "2244994945",
  username: "jane",
  name: "Jane Doe",
  profile_image_url: "https://pbs.twimg.com/1.jpg",
};

Deno.test("createMicroblogAuthProvider() sends raw Basic credentials and unwraps data (spec 4.3)", async () => {
  const service = await x(user);
  const client = createMicroblogAuthProvider(service.options());
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, { ...user, email: null });
  assert(result.ok);
  assertEquals([result.issuer, result.subject], [
    "https://x.com",
    "2244994945",
  ]);
  assertEquals(location.href.split("?")[0], "https://x.com/i/oauth2/authorize");
  assertEquals(location.searchParams.get("scope"), "users.read tweet.read");
  assertEquals(location.searchParams.get("code_challenge_method"), "S256");
  const { query } = service.provider.last("/2/users/me");
  assertEquals(query.get("user.fields"), "profile_image_url");
});

Deno.test("createMicroblogAuthProvider() requests the email with its scope", async () => {
  const service = await x({ ...user, confirmed_email: "jane@example.com" });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    scopes: ["users.read", "tweet.read", "users.email"],
  });
  const { profile } = await visit(service, client);
  assertEquals(profile?.email, "jane@example.com");
  const { query } = service.provider.last("/2/users/me");
  assertEquals(query.get("user.fields"), "profile_image_url,confirmed_email");
});

Deno.test("createMicroblogAuthProvider() works for a public client, with its id in the body", async () => {
  const service = await x(user, {
    respond: ({ form, path }) =>
      path === "/2/users/me"
        ? Response.json({ data: user })
        : form.get("client_id") === "UFRUc1RrM2Zf-_MTpjaQ"
        ? Response.json({ access_token: "a", token_type: "bearer" })
        : Response.json({ error: "invalid_request" }, { status: 400 }),
  });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    clientSecret: undefined,
    clientAuthentication: "none",
  });
  assertEquals(codeOf(await visit(service, client)), "");
});

for (
  const data of [
    undefined,
    null,
    {},
    { id: 1, username: "a" },
    { id: "1" },
    "text",
  ]
) {
  Deno.test(`createMicroblogAuthProvider() rejects data ${JSON.stringify(data)}`, async () => {
    const service = await x(data);
    const client = createMicroblogAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "profile_invalid");
  });
}

const subjects: [string, Body, ((body: Body) => string) | undefined, string][] =
  [
    ["an id that is a string", { id: "a" }, undefined, "a"],
    ["an id that is a number", { id: 7 }, undefined, "7"],
    ["sub without an id", { sub: "s" }, undefined, "s"],
    ["no id", { name: "x" }, undefined, ""],
    ["an id that is null", { id: null }, undefined, ""],
    ["an id that is an object", { id: {} }, undefined, ""],
    ["an id that is not a safe integer", { id: 2 ** 53 }, undefined, ""],
    ["a giant id", { id: "a".repeat(300) }, undefined, ""],
    [
      "an id in another member",
      { user: { key: "k" } },
      ({ user }) => (user as { key: string }).key,
      "k",
    ],
    [
      "a function that throws",
      {},
      ({ user }) => (user as { key: string }).key,
      "",
    ],
  ];

for (const [name, body, subjectOf, subject] of subjects) {
  Deno.test(`createOAuthProvider() returns the subject "${subject}" for ${name}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      respond: ({ path }) => path === "/me" ? Response.json(body) : undefined,
    };
    const service = new Service(provider, {
      "https://music.example/token": "/token",
      "https://api.music.example/me": "/me",
    });
    const client = createOAuthProvider({
      ...service.options(),
      name: "music",
      issuer: "https://music.example",
      authorizationEndpoint: "https://music.example/authorize",
      tokenEndpoint: "https://music.example/token",
      profileEndpoint: "https://api.music.example/me",
      scopes: ["profile"],
      parseProfile: (profile) => profile,
      subjectOf,
    });
    const outcome = await visit(service, client);
    assertEquals(codeOf(outcome), subject === "" ? "profile_invalid" : "");
    if (!outcome.result.ok) return;
    assertEquals(outcome.result.subject, subject);
    assertEquals(outcome.result.issuer, "https://music.example");
  });
}

async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle
    .importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return hex(new Uint8Array(bytes));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

/** Creates a provider for one realm of a host with several. */
function realmOf(service: Service, realm: string, issuer: string) {
  const base = `https://sso.example/${realm}`;
  return createOAuthProvider({
    ...service.options(),
    name: realm,
    issuer,
    authorizationEndpoint: `${base}/authorize`,
    tokenEndpoint: `${base}/token`,
    profileEndpoint: `${base}/me`,
    scopes: ["profile"],
    parseProfile: ({ id }) => ({ id }),
  });
}

Deno.test("createOAuthProvider() distinguishes users of two realms on one host", async () => {
  const keys: string[] = [];
  for (const realm of ["staff", "guests"]) {
    const base = `https://sso.example/${realm}`;
    const service = new Service(await TestProvider.create(), {
      [`${base}/token`]: "/token",
      [`${base}/me`]: "/userinfo",
    });
    service.provider.user = { id: 1 };
    const { result } = await visit(service, realmOf(service, realm, base));
    assert(result.ok);
    keys.push(`${result.issuer} ${result.subject}`);
  }
  assertEquals(keys, [
    "https://sso.example/staff 1",
    "https://sso.example/guests 1",
  ]);
});

for (const issuer of [undefined, "", "a".repeat(256), "line\nbreak", 7]) {
  Deno.test(`createOAuthProvider() does not invent an issuer: ${JSON.stringify(issuer)?.slice(0, 12)} throws a TypeError`, async () => {
    const service = new Service(await TestProvider.create(), {});
    assertThrows(
      () => realmOf(service, "staff", issuer as string),
      TypeError,
      'external provider "staff": issuer is missing or not an identifier',
    );
  });
}
