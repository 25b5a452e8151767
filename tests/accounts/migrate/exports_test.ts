import { assertEquals, assertThrows } from "@std/assert";
import {
  importAccounts,
  readClerk,
  readSupabase,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const HASH = "$2a$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const NOW = Date.parse("2026-01-01T00:00:00Z");

/** The header of the file of Clerk's dashboard. */
const CLERK =
  "id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher\n";

Deno.test("readClerk() reads users, hashes and authenticator apps of an export", () => {
  const csv = CLERK + [
    `user_1,Ada,"Love""lace, Countess",,ada@example.com,,ada@example.com|a@example.org,,,,${SECRET},${HASH},bcrypt`,
    `user_2,,,bob,bob@example.com,,,bob@example.com,,,,,`,
    "",
  ].join("\r\n");
  const users = [{
    id: "user_1",
    created_at: 1_700_000_000_000,
    banned: true,
    external_accounts: [
      { provider: "oauth_google", provider_user_id: "g1" },
      { provider: "oauth_custom_sso", provider_user_id: "s1" },
    ],
  }, { id: "user_2", two_factor_enabled: true }];
  const [ada, bob, ...others] = readClerk(csv, {
    users,
    issuers: { custom_sso: "https://sso.example.com" },
  });
  assertEquals(others, []);
  assertEquals(ada, {
    id: "user_1",
    email: "ada@example.com",
    emailVerified: true,
    name: 'Ada Love"lace, Countess',
    createdAt: 1_700_000_000_000,
    passwordHash: HASH,
    disabled: { reason: "", until: null },
    secondFactor: { secret: SECRET },
    logins: [
      {
        provider: "google",
        issuer: "https://accounts.google.com",
        subject: "g1",
      },
      {
        provider: "custom_sso",
        issuer: "https://sso.example.com",
        subject: "s1",
      },
    ],
    problems: [],
  });
  assertEquals(bob?.emailVerified, false);
  assertEquals(bob?.passwordHash, "");
  assertEquals(bob?.refusal, "the second factor is not in the export");
});

Deno.test("readClerk() refuses files that are not an export", () => {
  assertEquals([...readClerk(CLERK)], []);
  assertEquals([...readClerk("")], []);
  for (
    const csv of [
      "id,name\n1,Ada",
      `${CLERK}user_1,Ada`,
      `${CLERK}user_1,"Ada`,
      `${CLERK}user_1,A"da,,,,,,,,,,,`,
    ]
  ) {
    assertThrows(() => [...readClerk(csv)], TypeError, "Cannot read");
  }
});

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

Deno.test("importAccounts() refuses malformed accounts, and reports each", async () => {
  const store = createMemoryAccountStore();
  const base = { email: "ada@example.com", createdAt: NOW };
  const report = await importAccounts([
    { ...base, id: "1", role: "root" },
    { ...base, id: "2", email: " ADA@example.com " },
    { ...base, id: "3", email: null },
    { ...base, id: "4", email: "not an address" },
    { ...base, id: "", email: "b@example.com" },
    { ...base, id: "x".repeat(201), email: "b@example.com" },
    { ...base, id: "5", email: "b@example.com", secondFactor: { secret: "!" } },
  ], { store });
  assertEquals([report.created, report.refused], [1, 6]);
  assertEquals(report.problems.map(({ problem }) => problem), [
    "the role is not one of the application",
    "another account has the address",
    "the account has no address",
    "the address is malformed",
    "the id is not 1 to 200 characters",
    "the id is not 1 to 200 characters",
    "the second factor is malformed",
  ]);
  assertEquals((await store.find("1"))?.role, "user");
  assertEquals(await store.findByEmail("b@example.com"), null);
});

Deno.test("importAccounts() gives a login and a passkey to one account only", async () => {
  const store = createMemoryAccountStore();
  const logins = [{
    provider: "google",
    issuer: "https://accounts.google.com",
    subject: "g1",
  }];
  const passkeys = [{
    id: "AAAA",
    userHandle: "",
    publicKey: "AAAA",
    counter: 0,
    transports: [],
    backupEligible: true,
    backedUp: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
    name: "Phone",
    createdAt: NOW,
    usedAt: null,
  }];
  const report = await importAccounts(
    ["a", "b"].map((id) => ({
      id,
      email: `${id}@example.com`,
      createdAt: NOW,
      logins,
      passkeys,
    })),
    { store },
  );
  assertEquals([report.created, report.logins, report.passkeys], [2, 1, 1]);
  assertEquals(report.problems, [
    { id: "b", problem: "another account has a passkey with the same id" },
    { id: "b", problem: "another account has the login at google" },
  ]);
  assertEquals((await store.findWayIn("passkey", "AAAA"))?.account.id, "a");
});
