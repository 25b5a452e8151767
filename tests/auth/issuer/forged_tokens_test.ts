// ID tokens that an attacker created or changed.
import { assert, assertEquals, assertLess } from "@std/assert";
import {
  CompactSign,
  exportSPKI,
  FlattenedSign,
  importJWK,
  SignJWT,
} from "jose";
import { errorOf, Login, logIn } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";

/** The forms of the public key that an attacker could use as an HMAC secret. */
const secrets: [string, (jwk: Record<string, unknown>) => unknown][] = [
  [
    "the public key as PEM",
    async (jwk) =>
      await exportSPKI(
        await importJWK(jwk, "RS256", { extractable: true }) as CryptoKey,
      ),
  ],
  ["the public key as JWK", (jwk) => JSON.stringify(jwk)],
  ["the modulus", (jwk) => jwk.n],
  ["the client id", () => "app".padEnd(32, "\0")],
];

for (const [name, secretOf] of secrets) {
  Deno.test(`a token that is signed with HS256 and ${name} is rejected (RFC 8725, section 2.1)`, async () => {
    const provider = await TestProvider.create();
    const [{ jwk }] = provider.keys;
    const secret = new TextEncoder().encode(String(await secretOf(jwk)));
    for (const alg of ["HS256", "RS256"]) {
      provider.faults = {
        metadata: (metadata) => ({
          ...metadata,
          id_token_signing_alg_values_supported: ["HS256", "RS256", "none"],
        }),
        keys: ({ keys }) => ({
          keys: keys.map(({ alg: _, ...key }) => key),
        }),
        idToken: async (_, claims) => {
          const token = await new SignJWT(claims)
            .setProtectedHeader({ alg: "HS256", kid: String(jwk.kid) })
            .sign(secret);
          return alg === "HS256" ? token : relabel(token, alg);
        },
      };
      assertEquals((await logIn(provider)).code, "id_token_invalid", alg);
      assertEquals(provider.count("/userinfo"), 0);
    }
  });
}

const kids = [
  "__proto__",
  "constructor",
  "../../../../dev/null",
  "' OR 1=1 --",
  "https://evil.example/key",
  "k".repeat(10_000),
  "",
  0,
  null,
  {},
  ["a"],
];

for (const kid of kids) {
  Deno.test(`a token of the key id ${JSON.stringify(kid).slice(0, 30)} causes at most one request for keys`, async () => {
    const provider = await TestProvider.create();
    const evil = await TestProvider.create();
    await evil.rotate();
    evil.faults = { header: (header) => ({ ...header, kid }) };
    const login = new Login(provider);
    await login.run();
    provider.faults = { idToken: (_, claims) => evil.idToken(claims) };
    for (let attempt = 0; attempt < 3; attempt++) {
      assertEquals((await login.run()).code, "id_token_invalid");
    }
    assertLess(provider.count("/keys"), 3);
  });
}

for (
  const [azp, code] of [[undefined, "id_token_invalid"], ["app", ""], [
    "project",
    "id_token_invalid",
  ], [["app"], "id_token_invalid"]] as const
) {
  Deno.test(`a token for two trusted audiences with the azp ${JSON.stringify(azp)} gives "${code}" (OpenID Connect Core 1.0, section 3.1.3.7 (4) and (5))`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      claims: (claims) => ({ ...claims, aud: ["app", "project"], azp }),
    };
    const options = { trustedAudiences: ["project"] };
    assertEquals((await logIn(provider, options)).code, code);
  });
}

Deno.test("a token with an unencoded payload is rejected (RFC 7797, section 7)", async () => {
  const provider = await TestProvider.create();
  const [{ alg, jwk, privateKey }] = provider.keys;
  provider.faults = {
    idToken: async (_, claims) => {
      const payload = new TextEncoder().encode(JSON.stringify(claims));
      const header = { alg, kid: String(jwk.kid), b64: false, crit: ["b64"] };
      const { protected: protectedHeader, signature } = await new FlattenedSign(
        payload,
      ).setProtectedHeader(header)
        .sign(privateKey);
      return `${protectedHeader}.${JSON.stringify(claims)}.${signature}`;
    },
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

Deno.test("the last one of two equal claims counts for every check (RFC 7519, section 4)", async () => {
  for (
    const [first, last, code] of [
      [USER.sub, "someone else", "userinfo_mismatch"],
      ["someone else", USER.sub, ""],
    ]
  ) {
    const provider = await TestProvider.create();
    const [{ alg, jwk, privateKey }] = provider.keys;
    provider.faults = {
      idToken: async (_, { sub: __, ...claims }) => {
        const rest = JSON.stringify(claims).slice(1);
        const text = `{"sub":"${first}","sub":"${last}",${rest}`;
        return await new CompactSign(new TextEncoder().encode(text))
          .setProtectedHeader({ alg, kid: String(jwk.kid) }).sign(privateKey);
      },
    };
    assertEquals((await logIn(provider)).code, code);
  }
});

Deno.test("a response with ten thousand keys is rejected by its size", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    keys: ({ keys: [key] }) => ({
      keys: Array.from({ length: 10_000 }, (_, i) => ({ ...key, kid: `${i}` })),
    }),
  };
  const outcome = await logIn(provider);
  assertEquals(outcome.code, "keys_failed");
  assert(String(errorOf(outcome).cause).includes("more than 262144 bytes"));
});

/** Changes the header of a token. */
function relabel(token: string, alg: string): string {
  const [header = "", ...rest] = token.split(".");
  const changed = { ...JSON.parse(atob(header)), alg };
  const encoded = btoa(JSON.stringify(changed)).replaceAll("=", "");
  return [encoded, ...rest].join(".");
}
