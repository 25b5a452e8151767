// The modules of the Config relying-party plan of the OpenID conformance suite,
// and useful ones of other plans, by name.
import { assert, assertEquals } from "@std/assert";
import { SignJWT, UnsecuredJWT } from "jose";
import { Login, logIn } from "../_login.ts";
import { type Faults, TestProvider, USER } from "../_test_provider.ts";

Deno.test("oidcc-client-test-discovery-openid-config: uses the endpoints of the metadata (OpenID Connect Discovery 1.0, section 4.3)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      authorization_endpoint: "https://login.example/a?tenant=1",
    }),
  };
  const login = new Login(provider);
  const response = await login.visit("/login");
  const location = new URL(response.headers.get("Location")!);
  assertEquals(location.origin + location.pathname, "https://login.example/a");
  assertEquals(location.searchParams.get("tenant"), "1");
  assertEquals(provider.requests[0]!.path, "/.well-known/openid-configuration");
});

Deno.test("oidcc-client-test-discovery-jwks-uri-keys: uses the keys at jwks_uri", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      jwks_uri: "https://id.example/keys/of/this/run",
    }),
    respond: ({ path }) =>
      path === "/keys/of/this/run"
        ? Response.json({ keys: provider.keys.map(({ jwk }) => jwk) })
        : undefined,
  };
  assertEquals((await logIn(provider)).profile, USER);
});

Deno.test("oidcc-client-test-discovery-issuer-mismatch: stops before a redirect (OpenID Connect Discovery 1.0, section 4.3)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      issuer: `${metadata.issuer}INVALID`,
    }),
  };
  const codes: string[] = [];
  const login = new Login(provider, {
    onError: ({ code }) => codes.push(code),
  });
  const response = await login.visit("/login");
  assertEquals(response.status, 502);
  assertEquals(await response.text(), "Bad Gateway");
  assertEquals(response.headers.get("Location"), null);
  assertEquals(codes, ["discovery_failed"]);
});

Deno.test("oidcc-client-test-idtoken-sig-none: rejects it even if the metadata allows none", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      id_token_signing_alg_values_supported: ["none", "HS256", "RS256"],
    }),
    idToken: (_, claims) => new UnsecuredJWT(claims).encode(),
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

Deno.test("oidcc-client-test-signing-key-rotation-just-before-signing: fetches the new keys", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const callback = await login.begin();
  await provider.rotate();
  assertEquals((await login.end(callback)).profile, USER);
});

Deno.test("oidcc-client-test-signing-key-rotation: the second login uses the new keys (OpenID Connect Core 1.0, section 10.1.1)", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  assertEquals((await login.run()).profile, USER);
  await provider.rotate();
  assertEquals((await login.run()).profile, USER);
  assertEquals(provider.count("/keys"), 2);
});

const fapi: { module: string; faults: Faults; code: string }[] = [
  {
    module: "missing-iss",
    faults: { claims: ({ iss: _, ...claims }) => claims },
    code: "id_token_invalid",
  },
  {
    module: "missing-aud",
    faults: { claims: ({ aud: _, ...claims }) => claims },
    code: "id_token_invalid",
  },
  {
    module: "valid-aud-as-array",
    faults: { claims: (claims) => ({ ...claims, aud: [claims.aud] }) },
    code: "",
  },
  {
    module: "invalid-secondary-aud",
    faults: {
      claims: (claims) => ({
        ...claims,
        aud: [claims.aud, "other"],
        azp: claims.aud,
      }),
    },
    code: "id_token_invalid",
  },
  {
    module: "invalid-expired-exp",
    faults: {
      claims: (claims) => ({ ...claims, exp: Number(claims.iat) - 60 }),
    },
    code: "id_token_invalid",
  },
  {
    module: "missing-exp",
    faults: { claims: ({ exp: _, ...claims }) => claims },
    code: "id_token_invalid",
  },
  {
    module: "missing-nonce",
    faults: { claims: ({ nonce: _, ...claims }) => claims },
    code: "id_token_invalid",
  },
  {
    module: "token-type-case-insensitivity",
    faults: { token: (token) => ({ ...token, token_type: "bEARER" }) },
    code: "",
  },
  {
    module: "token-endpoint-response-without-expires_in",
    faults: { token: ({ expires_in: _, ...token }) => token },
    code: "",
  },
  {
    module: "ensure-authorization-response-with-invalid-state-fails",
    faults: { callback: (params) => params.set("state", "wrong") },
    code: "state_unknown",
  },
  {
    module: "ensure-authorization-response-with-invalid-missing-state-fails",
    faults: { callback: (params) => params.delete("state") },
    code: "state_missing",
  },
  {
    module: "invalid-authorization-response-iss",
    faults: { callback: (params) => params.set("iss", "https://id.example1") },
    code: "issuer_mismatch",
  },
];

for (const { module, faults, code } of fapi) {
  Deno.test(`fapi2-security-profile-final-client-test-${module}: ${code === "" ? "accepts" : "rejects"}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = faults;
    const outcome = await logIn(provider);
    assertEquals(outcome.code, code);
    assertEquals(provider.count("/userinfo"), code === "" ? 1 : 0);
  });
}

Deno.test("fapi2-security-profile-final-client-test-remove-authorization-response-iss: rejects a response without iss if the metadata announces it", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      authorization_response_iss_parameter_supported: true,
    }),
  };
  const outcome = await logIn(provider);
  assertEquals(outcome.code, "issuer_mismatch");
  assertEquals(provider.count("/token"), 0);
});

Deno.test("fapi2-security-profile-final-client-test-invalid-alternate-alg: rejects an algorithm that the client did not register", async () => {
  const provider = await TestProvider.create("https://id.example", [
    "PS256",
    "RS256",
  ]);
  provider.signing = "RS256";
  const strict = await logIn(provider, { idTokenAlgorithms: ["PS256"] });
  assertEquals(strict.code, "id_token_invalid");
  provider.signing = "PS256";
  assert((await logIn(provider, { idTokenAlgorithms: ["PS256"] })).result.ok);
});

Deno.test("oidcc-client-test-invalid-sig-hs256: rejects a token signed with the client's secret (OpenID Connect Core 1.0, section 10.1)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      id_token_signing_alg_values_supported: ["HS256"],
    }),
    idToken: (_, claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(provider.clientSecret.padEnd(32))),
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});
