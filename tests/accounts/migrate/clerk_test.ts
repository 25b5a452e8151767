import { assertEquals, assertThrows } from "@std/assert";
import { readClerk } from "@gatehouse/web/accounts/migrate";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const HASH = "$2a$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

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
