// The portal, tested with a model of the real service at its real addresses.
import {
  createPortalAuthProvider,
  refreshExternalAuth,
  revokeExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals } from "@std/assert";
import { codeOf, Service, visit } from "../_service.ts";
import { TestProvider, USER } from "../_test_provider.ts";

const DISCOVERY = "/.well-known/openid-configuration";

const GOOGLE = "https://accounts.google.com";

async function createService(): Promise<Service> {
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
    const service = await createService();
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
    const service = await createService();
    service.provider.faults.claims = (claims) => ({ ...claims, iss });
    const client = createPortalAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
  });
}

Deno.test("createPortalAuthProvider() accepts the bare issuer only in the ID token", async () => {
  const service = await createService();
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
    const service = await createService();
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
  const service = await createService();
  const client = createPortalAuthProvider({
    ...service.options(),
    authorizationParams: { access_type: "offline" },
    prompt: "consent",
  });
  const { location } = await visit(service, client);
  assertEquals(location.searchParams.get("access_type"), "offline");
  assertEquals(location.searchParams.get("prompt"), "consent");
});

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
