// The identity cloud, tested with a model of the real service at its real addresses.
import {
  createIdentityCloudAuthProvider,
  endSessionUrl,
} from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { SignJWT } from "jose";
import { codeOf, Service, visit } from "../_service.ts";
import { signingKey, TestProvider } from "../_test_provider.ts";

const DISCOVERY = "/.well-known/openid-configuration";

const AUTH0 = "https://tenant.eu.auth0.com";

async function createService(issuer = `${AUTH0}/`): Promise<Service> {
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
  const service = await createService();
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
  const service = await createService();
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
    const service = await createService();
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

/** Creates a tenant of the identity cloud. */
async function createTenant() {
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
  const { client, origin } = await createTenant();
  const url = await endSessionUrl(client, {
    postLogoutRedirectUri: "https://app.example/",
  });
  assertEquals(url!.origin + url!.pathname, `${origin}/oidc/logout`);
  assertEquals(url!.searchParams.get("client_id"), "app");
});

Deno.test("the identity cloud's applications with HS256 are rejected", async () => {
  const { client, provider, service } = await createTenant();
  provider.faults.idToken = (_, claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(new TextEncoder().encode(provider.clientSecret.padEnd(32)));
  assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
});

Deno.test("the identity cloud's next key is known before its first use", async () => {
  const { client, provider, service } = await createTenant();
  const next = await signingKey("RS256", true);
  provider.keys.push(next);
  assertEquals(codeOf(await visit(service, client)), "");
  provider.keys.reverse();
  assertEquals(codeOf(await visit(service, client)), "");
  assertEquals(provider.count("/keys"), 1);
});
