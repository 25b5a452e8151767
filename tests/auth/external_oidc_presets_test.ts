// The named providers with OpenID Connect, tested with models of the real
// services at their real addresses.
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  createIdentityCloudAuthProvider,
  createPortalAuthProvider,
  createWorkforceIdAuthProvider,
} from "@gatehouse/web/auth";
import { codeOf, Service, visit } from "./_service.ts";
import { TestProvider, USER } from "./_test_provider.ts";

const GOOGLE = "https://accounts.google.com";

async function google(): Promise<Service> {
  const provider = await TestProvider.create(GOOGLE);
  provider.authMethods = ["client_secret_post", "client_secret_basic"];
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      authorization_endpoint: `${GOOGLE}/o/oauth2/v2/auth`,
      token_endpoint: "https://oauth2.googleapis.com/token",
      userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
      jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
      authorization_response_iss_parameter_supported: true,
    }),
    callback: (params) => {
      params.set("iss", GOOGLE);
      params.set("authuser", "0");
      params.set("hd", "example.com");
      params.set("prompt", "none");
      params.set("scope", "email profile openid");
    },
  };
  provider.authMethods = ["client_secret_basic"];
  return new Service(provider, {
    [`${GOOGLE}/.well-known/openid-configuration`]:
      "/.well-known/openid-configuration",
    "https://oauth2.googleapis.com/token": "/token",
    "https://openidconnect.googleapis.com/v1/userinfo": "/userinfo",
    "https://www.googleapis.com/oauth2/v3/certs": "/keys",
  });
}

for (const iss of [GOOGLE, "accounts.google.com"]) {
  Deno.test(`createPortalAuthProvider() logs in with the issuer ${iss} in the ID token, with the same user key (spec 2.6, 4.3)`, async () => {
    const service = await google();
    service.provider.faults.claims = (claims) => ({ ...claims, iss });
    const client = createPortalAuthProvider(service.options());
    const { location, profile, result } = await visit(service, client);
    assertEquals(profile, USER);
    assert(result.ok);
    assertEquals([result.issuer, result.subject], [GOOGLE, USER.sub]);
    assertEquals(
      location.origin + location.pathname,
      `${GOOGLE}/o/oauth2/v2/auth`,
    );
    assertEquals(location.searchParams.get("scope"), "openid email profile");
    assertEquals(location.searchParams.has("hd"), false);
  });
}

for (
  const iss of [
    "http://accounts.google.com",
    "accounts.google.com.evil.example",
    `${GOOGLE}/`,
  ]
) {
  Deno.test(`createPortalAuthProvider() rejects the issuer ${iss} in the ID token`, async () => {
    const service = await google();
    service.provider.faults.claims = (claims) => ({ ...claims, iss });
    const client = createPortalAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
  });
}

Deno.test("createPortalAuthProvider() accepts the bare issuer only in the ID token", async () => {
  const service = await google();
  service.provider.faults.callback = (params) =>
    params.set("iss", "accounts.google.com");
  const client = createPortalAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "issuer_mismatch");
});

for (
  const [hd, code] of [["example.com", ""], [
    "evil.example",
    "id_token_invalid",
  ], [undefined, "id_token_invalid"]]
) {
  Deno.test(`createPortalAuthProvider() with hostedDomain example.com gives "${code}" for hd=${hd} in the ID token`, async () => {
    const service = await google();
    service.provider.faults.claims = (claims) => ({
      ...claims,
      ...hd && { hd },
    });
    const client = createPortalAuthProvider({
      ...service.options(),
      hostedDomain: "example.com",
    });
    const outcome = await visit(service, client);
    assertEquals(outcome.location.searchParams.get("hd"), "example.com");
    assertEquals(codeOf(outcome), code);
  });
}

Deno.test("createPortalAuthProvider() requests a refresh token if the option is set", async () => {
  const service = await google();
  const client = createPortalAuthProvider({
    ...service.options(),
    authorizationParams: { access_type: "offline" },
    prompt: "consent",
  });
  const { location } = await visit(service, client);
  assertEquals(location.searchParams.get("access_type"), "offline");
  assertEquals(location.searchParams.get("prompt"), "consent");
});

const AUTH0 = "https://tenant.eu.auth0.com";

async function auth0(issuer = `${AUTH0}/`): Promise<Service> {
  const provider = await TestProvider.create(issuer);
  provider.authMethods = ["client_secret_post"];
  provider.user = {
    sub: "auth0|5f7c8ec7c33c6c004bbafe82",
    nickname: "jane",
    name: "Jane Doe",
    picture: "https://s.gravatar.com/avatar/1.png",
    email: "jane@example.com",
    email_verified: true,
    updated_at: "2026-11-20T17:55:48.000Z",
  };
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      token_endpoint: `${AUTH0}/oauth/token`,
      jwks_uri: `${AUTH0}/.well-known/jwks.json`,
      end_session_endpoint: `${AUTH0}/oidc/logout`,
      token_endpoint_auth_methods_supported: [
        "client_secret_basic",
        "client_secret_post",
        "private_key_jwt",
      ],
    }),
  };
  return new Service(provider, {
    [`${AUTH0}/.well-known/openid-configuration`]:
      "/.well-known/openid-configuration",
    [`${AUTH0}/oauth/token`]: "/token",
    [`${AUTH0}/userinfo`]: "/userinfo",
    [`${AUTH0}/.well-known/jwks.json`]: "/keys",
  });
}

Deno.test("createIdentityCloudAuthProvider() uses an issuer with a slash and sends the secret by post", async () => {
  const service = await auth0();
  const client = createIdentityCloudAuthProvider({
    ...service.options(),
    domain: "tenant.eu.auth0.com",
    authorizationParams: { audience: "https://api.example" },
  });
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, {
    sub: "auth0|5f7c8ec7c33c6c004bbafe82",
    email: "jane@example.com",
    name: "Jane Doe",
    picture: "https://s.gravatar.com/avatar/1.png",
    email_verified: true,
  });
  assert(result.ok);
  assertEquals(result.issuer, `${AUTH0}/`);
  assertEquals(location.searchParams.get("audience"), "https://api.example");
});

Deno.test("createIdentityCloudAuthProvider() rejects the issuer without its slash", async () => {
  const service = await auth0();
  service.provider.faults.claims = (claims) => ({ ...claims, iss: AUTH0 });
  const client = createIdentityCloudAuthProvider({
    ...service.options(),
    domain: "tenant.eu.auth0.com",
  });
  assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
});

for (
  const domain of [
    undefined,
    "",
    "https://tenant.auth0.com",
    "a/b",
    "a b",
    "a:1",
    "a@b",
  ]
) {
  Deno.test(`createIdentityCloudAuthProvider() throws a TypeError for the domain ${domain}`, async () => {
    const service = await auth0();
    assertThrows(
      () =>
        createIdentityCloudAuthProvider({
          ...service.options(),
          domain: domain as string,
        }),
      TypeError,
      "domain",
    );
  });
}

const OKTA = "https://example.okta.com";

for (const issuer of [OKTA, `${OKTA}/oauth2/default`]) {
  Deno.test(`createWorkforceIdAuthProvider() logs in at ${issuer}, with the profile from userinfo`, async () => {
    const provider = await TestProvider.create(issuer);
    const v1 = issuer === OKTA ? `${OKTA}/oauth2/v1` : `${issuer}/v1`;
    provider.faults = {
      metadata: (metadata) => ({
        ...metadata,
        authorization_endpoint: `${v1}/authorize`,
        token_endpoint: `${v1}/token`,
        userinfo_endpoint: `${v1}/userinfo`,
        jwks_uri: `${v1}/keys`,
      }),
      // The organization's server issues a token with few claims.
      claims: ({ iss, aud, iat, exp, sub, nonce, at_hash }) => ({
        iss,
        aud,
        iat,
        exp,
        sub,
        nonce,
        at_hash,
      }),
    };
    const { pathname } = new URL(issuer);
    const base = pathname.replace(/\/$/, "");
    const service = new Service(provider, {
      [`${issuer}/.well-known/openid-configuration`]:
        `${base}/.well-known/openid-configuration`,
      [`${v1}/token`]: "/token",
      [`${v1}/userinfo`]: "/userinfo",
      [`${v1}/keys`]: "/keys",
    });
    const client = createWorkforceIdAuthProvider({
      ...service.options(),
      issuer,
    });
    const { profile, result } = await visit(service, client);
    assertEquals(profile, USER);
    assert(result.ok);
    assertEquals(result.issuer, issuer);
  });
}

for (
  const issuer of [
    undefined,
    "",
    "example.okta.com",
    `${OKTA}/`,
    `${OKTA}/oauth2`,
    `${OKTA}/oauth2/a/b`,
  ]
) {
  Deno.test(`createWorkforceIdAuthProvider() throws a TypeError for the issuer ${issuer}`, () => {
    assertThrows(
      () =>
        createWorkforceIdAuthProvider({
          clientId: "app",
          clientSecret: "s3cret",
          redirectUri: "https://app.example/callback",
          issuer: issuer as string,
        }),
      TypeError,
      "issuer",
    );
  });
}
