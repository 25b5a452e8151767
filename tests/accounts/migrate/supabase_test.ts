import { assertEquals } from "@std/assert";
import { readSupabase } from "@gatehouse/web/accounts/migrate";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const HASH = "$2a$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const ADA = {
  id: "d4c3",
  email: "ada@example.com",
  email_confirmed_at: "2024-01-31T12:00:00Z",
  encrypted_password: HASH,
  created_at: "2024-01-31T12:00:00+00:00",
  raw_user_meta_data: { full_name: "Ada" },
  identities: [
    { provider: "email", provider_id: "d4c3" },
    {
      provider: "google",
      provider_id: "g1",
      identity_data: { iss: "https://accounts.google.com", sub: "g1" },
    },
    {
      provider: "github",
      provider_id: "7",
      identity_data: { iss: "https://api.github.com", sub: "7" },
    },
  ],
  mfa_factors: [
    { factor_type: "totp", status: "unverified", secret: "AAAA" },
    { factor_type: "totp", status: "verified", secret: SECRET },
  ],
};

Deno.test("readSupabase() reads users, identities and authenticator apps", () => {
  const [ada] = readSupabase([ADA]);
  assertEquals(ada, {
    id: "d4c3",
    email: "ada@example.com",
    emailVerified: true,
    name: "Ada",
    createdAt: Date.parse("2024-01-31T12:00:00Z"),
    passwordHash: HASH,
    disabled: null,
    secondFactor: { secret: SECRET },
    logins: [
      {
        provider: "google",
        issuer: "https://accounts.google.com",
        subject: "g1",
      },
      { provider: "github", issuer: "https://github.com", subject: "7" },
    ],
    problems: [],
  });
});

Deno.test("readSupabase() keeps blocks, leaves deleted and anonymous users out, and refuses factors that are not an app", () => {
  const now = () => NOW;
  const rows = [
    { ...ADA, deleted_at: "2025-01-01T00:00:00Z" },
    { ...ADA, is_anonymous: true },
    { ...ADA, banned_until: "2030-01-01T00:00:00Z" },
    { ...ADA, banned_until: "2025-01-01T00:00:00Z" },
    { ...ADA, mfa_factors: [{ factor_type: "phone", status: "verified" }] },
    {},
    { identities: null, mfa_factors: "x", raw_user_meta_data: [] },
  ];
  const read = [...readSupabase(rows, { now })];
  assertEquals(read.map(({ disabled, refusal }) => [disabled, refusal]), [
    [{ reason: "", until: Date.parse("2030-01-01T00:00:00Z") }, undefined],
    [null, undefined],
    [null, "the second factor is not an authenticator app"],
    [null, undefined],
    [null, undefined],
  ]);
});

Deno.test("readSupabase() prefers the issuers of the options to those of the rows", () => {
  const identities = [{
    provider: "keycloak",
    provider_id: "k1",
    identity_data: { iss: "https://old.example/realms/main" },
  }];
  const issuers = { keycloak: "https://sso.example/realms/main" };
  const found = [{}, { issuers }].flatMap((options) =>
    [...readSupabase([{ ...ADA, identities }], options)]
      .flatMap(({ logins = [] }) => logins.map(({ issuer }) => issuer))
  );
  assertEquals(found, [
    "https://old.example/realms/main",
    "https://sso.example/realms/main",
  ]);
});
