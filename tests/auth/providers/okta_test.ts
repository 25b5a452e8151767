// The workforce id, tested with a model of the real service at its real addresses.
import {
  createWorkforceIdAuthProvider,
  refreshExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Service, visit } from "../_service.ts";
import { TestProvider, USER } from "../_test_provider.ts";

const DISCOVERY = "/.well-known/openid-configuration";

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
