// The modules of the Basic relying-party plan of the OpenID conformance suite, by
// name, with a provider that signs with real keys. The modules of the form post
// plan run with both response modes.
import { assert, assertEquals } from "@std/assert";
import { UnsecuredJWT } from "jose";
import { logIn } from "../_login.ts";
import {
  type Faults,
  signingKey,
  TestProvider,
  USER,
} from "../_test_provider.ts";

for (const responseMode of ["query", "form_post"] as const) {
  Deno.test(`oidcc-client-test: logs in and calls userinfo, by ${responseMode}`, async () => {
    const provider = await TestProvider.create();
    const { profile } = await logIn(provider, { responseMode });
    assertEquals(profile, USER);
    assertEquals(provider.count("/userinfo"), 1);
    const { headers, query } = provider.last("/userinfo");
    assert(headers.get("Authorization")!.startsWith("Bearer access-"));
    assertEquals([...query], []);
  });
}

const badTokens: { module: string; section: string; faults: Faults }[] = [
  {
    module: "oidcc-client-test-invalid-iss",
    section: "3.1.3.7 (2)",
    faults: { claims: (claims) => ({ ...claims, iss: `${claims.iss}1` }) },
  },
  {
    module: "oidcc-client-test-missing-sub",
    section: "2",
    faults: { claims: ({ sub: _, ...claims }) => claims },
  },
  {
    module: "oidcc-client-test-invalid-aud",
    section: "3.1.3.7 (3)",
    faults: { claims: (claims) => ({ ...claims, aud: `${claims.aud}1` }) },
  },
  {
    module: "oidcc-client-test-missing-iat",
    section: "2",
    faults: { claims: ({ iat: _, ...claims }) => claims },
  },
  {
    module: "oidcc-client-test-idtoken-sig-none",
    section: "3.1.3.7 (7)",
    faults: {
      idToken: (_, claims) => new UnsecuredJWT(claims).encode(),
    },
  },
  {
    module: "oidcc-client-test-invalid-sig-rs256",
    section: "3.1.3.7 (6)",
    faults: { idToken: breakSignature },
  },
  {
    module: "oidcc-client-test-nonce-invalid",
    section: "3.1.3.7 (11)",
    faults: { claims: (claims) => ({ ...claims, nonce: `${claims.nonce}1` }) },
  },
];

for (const responseMode of ["query", "form_post"] as const) {
  for (const { module, section, faults } of badTokens) {
    Deno.test(`${module}: rejects the ID token without further requests, by ${responseMode} (OpenID Connect Core 1.0, section ${section})`, async () => {
      const provider = await TestProvider.create();
      provider.faults = faults;
      const { code, profile, status } = await logIn(provider, { responseMode });
      assertEquals({ code, profile, status }, {
        code: "id_token_invalid",
        profile: null,
        status: 401,
      });
      assertEquals(provider.count("/userinfo"), 0);
    });
  }
}

Deno.test("oidcc-client-test-kid-absent-single-jwks: uses the only suitable key (OpenID Connect Core 1.0, section 10.1)", async () => {
  const provider = await TestProvider.create("https://id.example", [
    "RS256",
    "ES256",
    "EdDSA",
  ]);
  provider.faults = {
    header: ({ kid: _, ...header }) => header,
    keys: withoutIds,
  };
  assertEquals((await logIn(provider)).profile, USER);
});

Deno.test("oidcc-client-test-kid-absent-multiple-jwks: tries all suitable keys (OpenID Connect Core 1.0, section 10.1)", async () => {
  const provider = await TestProvider.create("https://id.example", [
    "RS256",
    "ES256",
  ]);
  const others = await Promise.all([
    signingKey("RS256", true),
    signingKey("RS256", true),
  ]);
  provider.faults = {
    header: ({ kid: _, ...header }) => header,
    keys: ({ keys }) =>
      withoutIds({
        keys: [...others.map(({ jwk }) => ({ ...jwk })), ...keys],
      }),
  };
  assertEquals((await logIn(provider)).profile, USER);
});

Deno.test("oidcc-client-test-kid-absent-multiple-jwks: rejects the ID token if none of several keys signed it", async () => {
  const provider = await TestProvider.create();
  const others = await Promise.all([
    signingKey("RS256", true),
    signingKey("RS256", true),
  ]);
  provider.faults = {
    header: ({ kid: _, ...header }) => header,
    keys: () => withoutIds({ keys: others.map(({ jwk }) => ({ ...jwk })) }),
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

for (const alg of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
  Deno.test(`oidcc-client-test-idtoken-sig-${alg.toLowerCase()}: accepts an ID token signed with ${alg}`, async () => {
    const provider = await TestProvider.create("https://id.example", [alg]);
    const { profile, result } = await logIn(provider);
    assertEquals(profile, USER);
    assert(result.ok && typeof result.claims.at_hash === "string");
  });
}

Deno.test("oidcc-client-test-userinfo-invalid-sub: rejects the profile of another user (OpenID Connect Core 1.0, section 5.3.2)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    userinfo: (claims) => ({ ...claims, sub: `${claims.sub}invalid` }),
  };
  const { code, profile } = await logIn(provider);
  assertEquals([code, profile], ["userinfo_mismatch", null]);
});

Deno.test("oidcc-client-test-scope-userinfo-claims: returns the claims of all scopes (OpenID Connect Core 1.0, section 5.4)", async () => {
  const provider = await TestProvider.create();
  const address = { locality: "Berlin" };
  provider.faults = {
    claims: ({ name: _name, email: _email, picture: _picture, ...rest }) =>
      rest,
    userinfo: (claims) => ({ ...claims, phone_number: "+49 30 1", address }),
  };
  const { profile, result } = await logIn(provider, {
    scopes: ["openid", "profile", "email", "phone", "address"],
  });
  assertEquals(profile, USER);
  assert(result.ok);
  assertEquals(result.claims.phone_number, "+49 30 1");
  assertEquals(result.claims.address, address);
});

Deno.test("oidcc-client-test-client-secret-basic: sends form-encoded Basic credentials and no secret in the body (RFC 6749, section 2.3.1)", async () => {
  const provider = await TestProvider.create();
  provider.clientId = "app: 1%ü";
  provider.clientSecret = "s3cret-_.*+/=&:";
  assertEquals((await logIn(provider)).profile, USER);

  const { form, headers } = provider.last("/token");
  assertEquals(
    headers.get("Authorization"),
    `Basic ${btoa("app%3A+1%25%C3%BC:s3cret-_.*%2B%2F%3D%26%3A")}`,
  );
  assertEquals(form.has("client_secret"), false);
  assertEquals(form.get("grant_type"), "authorization_code");
  assertEquals(form.get("redirect_uri"), "https://app.example/callback");
});

function withoutIds({ keys }: { keys: Record<string, unknown>[] }) {
  return { keys: keys.map(({ kid: _, ...key }) => key) };
}

function breakSignature(idToken: string): string {
  const [header, payload, signature] = idToken.split(".");
  const first = signature!.startsWith("A") ? "B" : "A";
  return `${header}.${payload}.${first}${signature!.slice(1)}`;
}
