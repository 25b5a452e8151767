// The named providers at their real addresses: refresh, revocation, logout and
// unusual responses.
import { assert, assertEquals } from "@std/assert";
import {
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createOfficeSuiteAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
  endSessionUrl,
  refreshExternalAuth,
  revokeExternalAuth,
} from "@gatehouse/web/auth";
import { SignJWT } from "jose";
import { codeOf, Service, visit } from "./_service.ts";
import { signingKey, TestProvider, USER } from "./_test_provider.ts";

const DISCOVERY = "/.well-known/openid-configuration";

Deno.test("the portal's tokens are refreshed and revoked at oauth2.googleapis.com", async () => {
  const provider = await TestProvider.create("https://accounts.google.com");
  const host = "https://oauth2.googleapis.com";
  provider.faults.metadata = (metadata) => ({
    ...metadata,
    token_endpoint: `${host}/token`,
    revocation_endpoint: `${host}/revoke`,
    jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
    userinfo_endpoint: undefined,
  });
  const service = new Service(provider, {
    [`https://accounts.google.com${DISCOVERY}`]: DISCOVERY,
    [`${host}/token`]: "/token",
    [`${host}/revoke`]: "/revoke",
    "https://www.googleapis.com/oauth2/v3/certs": "/keys",
  });
  const client = createPortalAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  // Refreshed ID tokens may have either spelling of the issuer.
  provider.faults.claims = (claims) => ({
    ...claims,
    iss: "accounts.google.com",
  });
  const refreshed = await refreshExternalAuth(client, result.tokens);
  assert(refreshed.ok);
  assertEquals(await revokeExternalAuth(client, refreshed.tokens), {
    ok: true,
  });
  assertEquals(provider.count("/revoke"), 2);
});

/** Creates an app of the code host with expiring tokens. */
async function codeHost(): Promise<Service> {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  provider.faults = {
    respond: ({ path }) =>
      path === "/user"
        ? Response.json({ id: 1, login: "octocat" })
        : path === "/user/emails"
        ? Response.json([])
        : undefined,
    token: ({ id_token: _, ...token }) => ({
      ...token,
      token_type: "bearer",
      expires_in: 28800,
      refresh_token_expires_in: 15897600,
      scope: "",
    }),
  };
  return new Service(provider, {
    "https://github.com/login/oauth/access_token": "/token",
    "https://api.github.com/user": "/user",
    "https://api.github.com/user/emails": "/user/emails",
  });
}

Deno.test("the code host's apps refresh tokens by post and report errors with status 200", async () => {
  const service = await codeHost();
  const client = createCodeHostAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  const refreshed = await refreshExternalAuth(client, result.tokens);
  assert(refreshed.ok);
  assert(refreshed.tokens.refreshToken !== result.tokens.refreshToken);
  const { form, headers } = service.provider.last("/token");
  assertEquals(headers.get("Accept"), "application/json");
  assertEquals(form.get("client_secret"), service.provider.clientSecret);

  const error = "bad_refresh_token";
  service.provider.faults.respond = () => Response.json({ error });
  const refused = await refreshExternalAuth(client, refreshed.tokens);
  assert(!refused.ok);
  assertEquals(refused.error.providerError, error);
});

Deno.test("the code host has no standard revocation endpoint", async () => {
  const service = await codeHost();
  const client = createCodeHostAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  const revoked = await revokeExternalAuth(client, result.tokens);
  assertEquals(!revoked.ok && revoked.error.code, "revocation_failed");
});

Deno.test("the microblog's tokens are refreshed and revoked with the same raw Basic credentials", async () => {
  const provider = await TestProvider.create();
  provider.clientId = "UFRUc1RrM2Zf-_MTpjaQ";
  provider.clientSecret = "s3cret-_with+every/sign=";
  const basic = `Basic ${
    btoa(`${provider.clientId}:${provider.clientSecret}`)
  }`;
  const seen: (string | null)[] = [];
  provider.faults.respond = ({ form, headers, path }) => {
    if (path === "/me") {
      return Response.json({ data: { id: "7", username: "jane" } });
    }
    seen.push(
      `${form.get("grant_type") ?? path} ${
        headers.get("Authorization") === basic
      }`,
    );
    const tokens = { access_token: "a", refresh_token: "r" };
    return Response.json({ ...tokens, token_type: "bearer", expires_in: 7200 });
  };
  const service = new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/token",
    "https://api.x.com/2/oauth2/revoke": "/revoke",
    "https://api.x.com/2/users/me": "/me",
  });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    scopes: ["users.read", "tweet.read", "offline.access"],
  });
  const { result } = await visit(service, client);
  assert(result.ok);
  assert((await refreshExternalAuth(client, result.tokens)).ok);
  assert((await revokeExternalAuth(client, result.tokens)).ok);
  assertEquals(seen, [
    "authorization_code true",
    "refresh_token true",
    "/revoke true",
    "/revoke true",
  ]);
});

Deno.test("the microblog's errors with status 200 and no data are not a profile", async () => {
  const provider = await TestProvider.create();
  provider.faults.respond = ({ path }) =>
    path === "/me"
      ? Response.json({ errors: [{ title: "Forbidden", status: 403 }] })
      : Response.json({ access_token: "a", token_type: "bearer" });
  const service = new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/token",
    "https://api.x.com/2/users/me": "/me",
  });
  const client = createMicroblogAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "profile_invalid");
});

Deno.test("the social provider's error for a profile is userinfo_failed", async () => {
  const provider = await TestProvider.create();
  const error = { message: "x", type: "OAuthException", code: 190 };
  provider.faults.respond = ({ path }) =>
    path === "/me"
      ? Response.json({ error }, { status: 400 })
      : Response.json({ access_token: "a", token_type: "bearer" });
  const graph = "https://graph.facebook.com/v23.0";
  const service = new Service(provider, {
    [`${graph}/oauth/access_token`]: "/token",
    [`${graph}/me`]: "/me",
  });
  const client = createSocialAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "userinfo_failed");
});

/** Creates a tenant of the identity cloud. */
async function identityCloud() {
  const origin = "https://tenant.eu.auth0.com";
  const provider = await TestProvider.create(`${origin}/`);
  provider.authMethods = ["client_secret_post"];
  provider.faults.metadata = (metadata) => ({
    ...metadata,
    token_endpoint: `${origin}/oauth/token`,
    jwks_uri: `${origin}/.well-known/jwks.json`,
    end_session_endpoint: `${origin}/oidc/logout`,
    id_token_signing_alg_values_supported: ["HS256", "RS256", "PS256"],
  });
  const service = new Service(provider, {
    [`${origin}${DISCOVERY}`]: DISCOVERY,
    [`${origin}/oauth/token`]: "/token",
    [`${origin}/userinfo`]: "/userinfo",
    [`${origin}/.well-known/jwks.json`]: "/keys",
  });
  const client = createIdentityCloudAuthProvider({
    ...service.options(),
    domain: "tenant.eu.auth0.com",
  });
  return { client, origin, provider, service };
}

Deno.test("the identity cloud's logout URL comes from its metadata", async () => {
  const { client, origin } = await identityCloud();
  const url = await endSessionUrl(client, {
    postLogoutRedirectUri: "https://app.example/",
  });
  assertEquals(url!.origin + url!.pathname, `${origin}/oidc/logout`);
  assertEquals(url!.searchParams.get("client_id"), "app");
});

Deno.test("the identity cloud's applications with HS256 are rejected", async () => {
  const { client, provider, service } = await identityCloud();
  provider.faults.idToken = (_, claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(new TextEncoder().encode(provider.clientSecret.padEnd(32)));
  assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
});

Deno.test("the identity cloud's next key is known before its first use", async () => {
  const { client, provider, service } = await identityCloud();
  const next = await signingKey("RS256", true);
  provider.keys.push(next);
  assertEquals(codeOf(await visit(service, client)), "");
  provider.keys.reverse();
  assertEquals(codeOf(await visit(service, client)), "");
  assertEquals(provider.count("/keys"), 1);
});

Deno.test("the office suite's code of 2 kB is exchanged, and its email is not verified", async () => {
  const base = "https://login.microsoftonline.com";
  const tid = "72f988bf-86f1-41af-91ab-2d7cd011db47";
  const provider = await TestProvider.create(`${base}/${tid}/v2.0`);
  provider.authMethods = ["client_secret_post"];
  const { email_verified: _, ...user } = USER;
  provider.user = { ...user, tid };
  const pad = "1.AXAA".padEnd(2048, "x");
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      token_endpoint: `${base}/${tid}/oauth2/v2.0/token`,
      jwks_uri: `${base}/${tid}/discovery/v2.0/keys`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
    }),
    callback: (params) => params.set("code", pad + params.get("code")),
    respond: ({ form, path }) => {
      if (path !== "/token") return undefined;
      assert(form.get("code")!.startsWith(pad));
      form.set("code", form.get("code")!.slice(pad.length));
    },
  };
  const service = new Service(provider, {
    [`${base}/${tid}/v2.0${DISCOVERY}`]: `/${tid}/v2.0${DISCOVERY}`,
    [`${base}/${tid}/oauth2/v2.0/token`]: "/token",
    [`${base}/${tid}/discovery/v2.0/keys`]: "/keys",
    "https://graph.microsoft.com/oidc/userinfo": "/userinfo",
  });
  const client = createOfficeSuiteAuthProvider({
    ...service.options(),
    tenant: tid,
  });
  const { profile } = await visit(service, client);
  assertEquals(profile, {
    sub: USER.sub,
    email: USER.email,
    name: USER.name,
    picture: null,
  });
});

Deno.test("the workforce id issues a refresh token for the scope offline_access", async () => {
  const issuer = "https://example.okta.com/oauth2/default";
  const provider = await TestProvider.create(issuer);
  provider.faults.metadata = (metadata) => ({
    ...metadata,
    token_endpoint: `${issuer}/v1/token`,
    jwks_uri: `${issuer}/v1/keys`,
    userinfo_endpoint: `${issuer}/v1/userinfo`,
  });
  const service = new Service(provider, {
    [`${issuer}${DISCOVERY}`]: `/oauth2/default${DISCOVERY}`,
    [`${issuer}/v1/token`]: "/token",
    [`${issuer}/v1/keys`]: "/keys",
    [`${issuer}/v1/userinfo`]: "/userinfo",
  });
  const client = createWorkforceIdAuthProvider({
    ...service.options(),
    issuer,
    scopes: ["openid", "offline_access"],
  });
  const { location, result } = await visit(service, client);
  assert(result.ok);
  assertEquals(location.searchParams.get("scope"), "openid offline_access");
  assert((await refreshExternalAuth(client, result.tokens)).ok);
});
