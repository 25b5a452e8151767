/** The values that the readers of other systems take from full rows and empty ones. */
import { assertEquals } from "@std/assert";
import {
  type BetterAuthOptions,
  type ImportedAccount,
  type ImportedTeam,
  readAuthJS,
  readBetterAuth,
  readBetterAuthTeams,
  readClerk,
  readLucia,
  readSupabase,
} from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row, type Tables } from "./_old_database.ts";

const TIME = Date.UTC(2024, 0, 31, 12);
const ISO = "2024-01-31T12:00:00.000Z";
const GITHUB = "https://github.com";

/** The problem of a login without a provider. */
const UNKNOWN =
  'the issuer of the provider "" is unknown: see the option issuers';

const NO_SUBJECT = 'a login at "github" has no subject';

/** A row without values. Its columns have to exist. */
const empty = (...columns: string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, null]));

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  return await Array.fromAsync(items);
}

/** An account of which the old system knows nothing. */
const NOTHING = { id: "", email: null, emailVerified: false, name: "" };

const readers: Record<string, {
  readonly read: (tables: Tables) => Promise<readonly ImportedAccount[]>;
  readonly tables: Tables;
  readonly expected: readonly ImportedAccount[];
}> = {
  "readAuthJS()": {
    read: (tables) => all(readAuthJS(queryOf(tables))),
    tables: {
      users: [
        {
          id: "1",
          email: "ada@example.com",
          emailVerified: ISO,
          name: "Ada",
          createdAt: ISO,
          password: "hash",
        },
        empty("id", "email", "emailVerified", "name", "createdAt", "password"),
      ],
      accounts: [
        { userId: "1", provider: "github", providerAccountId: "7" },
        { userId: "1", provider: "github", providerAccountId: null },
        { userId: "1", provider: "email", providerAccountId: "8" },
        { userId: "1", provider: "credentials", providerAccountId: "8" },
        { userId: "1", provider: "webauthn", providerAccountId: "8" },
        { userId: "2", provider: "github", providerAccountId: "9" },
      ],
    },
    expected: [{
      id: "1",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      createdAt: TIME,
      passwordHash: "hash",
      logins: [{ provider: "github", issuer: GITHUB, subject: "7" }],
      passkeys: [],
      problems: [NO_SUBJECT],
    }, {
      ...NOTHING,
      createdAt: 0,
      passwordHash: "",
      logins: [],
      passkeys: [],
      problems: [],
    }],
  },
  "readBetterAuth()": {
    read: (tables) => all(readBetterAuth(queryOf(tables))),
    tables: {
      user: [
        {
          id: "1",
          email: "ada@example.com",
          emailVerified: 1,
          name: "Ada",
          createdAt: ISO,
          role: "admin",
          banned: 1,
          banReason: "Spam",
          banExpires: ISO,
        },
        { ...empty("id", "email", "role", "banReason"), banned: "t" },
      ],
      account: [
        {
          userId: "1",
          providerId: "credential",
          accountId: "1",
          password: "hash",
        },
        { userId: "1", providerId: "github", accountId: "7", password: "x" },
        { userId: "1", providerId: "other", accountId: "7", password: null },
        { userId: "1", providerId: "github", accountId: "", password: null },
        { userId: "1", providerId: null, accountId: "3", password: null },
      ],
    },
    expected: [{
      id: "1",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      role: "admin",
      createdAt: TIME,
      passwordHash: "hash",
      disabled: { reason: "Spam", until: TIME },
      logins: [{ provider: "github", issuer: GITHUB, subject: "7" }],
      passkeys: [],
      problems: [
        'the issuer of the provider "other" is unknown: see the option issuers',
        UNKNOWN,
      ],
    }, {
      ...NOTHING,
      createdAt: 0,
      passwordHash: "",
      disabled: { reason: "", until: null },
      logins: [],
      passkeys: [],
      problems: [],
    }],
  },
  "readLucia()": {
    read: (tables) => all(readLucia(queryOf(tables))),
    tables: {
      user: [
        {
          id: "1",
          email: "ada@example.com",
          email_verified: 1,
          verified: 0,
          name: "Ada",
          username: "ada",
          created_at: ISO,
          hashed_password: "own hash",
        },
        {
          ...empty("email", "email_verified", "name", "hashed_password"),
          id: "2",
          verified: true,
          username: "bob",
        },
        empty("id", "email", "name", "username"),
        { id: "4", email: null },
      ],
      account: [
        {
          user_id: "1",
          provider: "github",
          provider_account_id: "7",
          provider_id: null,
        },
        {
          user_id: "2",
          provider_id: "github",
          provider_user_id: "8",
          provider: "x",
          provider_account_id: "y",
        },
        { user_id: "2", provider_id: null },
      ],
      key: [
        { id: "email:bob@example.com", user_id: "2", hashed_password: "hash" },
        { id: "github:9", user_id: "2", hashed_password: null },
        { id: "malformed", user_id: "4", hashed_password: null },
        { id: "username:dave", user_id: "4", hashed_password: "hash 4" },
      ],
    },
    expected: [{
      id: "1",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      createdAt: TIME,
      passwordHash: "own hash",
      logins: [{ provider: "github", issuer: GITHUB, subject: "7" }],
      problems: [],
    }, {
      id: "2",
      email: "bob@example.com",
      emailVerified: true,
      name: "bob",
      createdAt: 0,
      passwordHash: "hash",
      logins: [
        { provider: "github", issuer: GITHUB, subject: "8" },
        { provider: "github", issuer: GITHUB, subject: "9" },
      ],
      problems: [
        UNKNOWN,
      ],
    }, {
      ...NOTHING,
      createdAt: 0,
      passwordHash: "",
      logins: [],
      problems: [],
    }, {
      ...NOTHING,
      id: "4",
      createdAt: 0,
      passwordHash: "hash 4",
      logins: [],
      problems: [
        UNKNOWN,
      ],
    }],
  },
};

for (const [name, { expected, read, tables }] of Object.entries(readers)) {
  Deno.test(`${name} reads full rows, and has defaults for empty ones`, async () => {
    assertEquals(await read(tables), [...expected]);
  });
}

Deno.test("readBetterAuthTeams() reads full rows, and has defaults for empty ones", async () => {
  const teams: ImportedTeam[] = await all(readBetterAuthTeams(queryOf({
    organizations: [
      { id: "1", name: "Engines", slug: "engines", createdAt: ISO },
      { ...empty("name", "createdAt"), id: "2", slug: "pumps" },
      empty("id", "name", "slug"),
    ],
    members: [
      { organizationId: "1", userId: "u1", role: "owner", createdAt: ISO },
      { organizationId: "2", ...empty("userId", "role", "createdAt") },
    ],
    invitations: [
      {
        organizationId: "1",
        email: "bob@example.com",
        role: "member",
        inviterId: "u1",
        createdAt: ISO,
        expiresAt: ISO,
        status: "pending",
      },
      { organizationId: "1", email: "eve@example.com", status: "accepted" },
      { organizationId: "2", email: null, status: "pending" },
    ],
    teams: [
      { organizationId: "1", id: "t1" },
      { organizationId: "1", id: "t2" },
    ],
  })));
  assertEquals(teams, [{
    id: "1",
    name: "Engines",
    createdAt: TIME,
    members: [{ userId: "u1", role: "owner", createdAt: TIME }],
    invitations: [{
      email: "bob@example.com",
      role: "member",
      invitedBy: "u1",
      createdAt: TIME,
      expiresAt: TIME,
    }],
    problems: ["inner teams are not imported: 2"],
  }, {
    id: "2",
    name: "pumps",
    createdAt: 0,
    members: [{ userId: "", role: "", createdAt: 0 }],
    invitations: [{
      email: "",
      role: "",
      invitedBy: "",
      createdAt: 0,
      expiresAt: 0,
    }],
    problems: [],
  }, {
    id: "",
    name: "",
    createdAt: 0,
    members: [],
    invitations: [],
    problems: [],
  }]);
});

Deno.test("readBetterAuthTeams() reads organizations without invitations and inner teams", async () => {
  const tables = {
    organization: [{ id: "1", name: "Engines" }],
    member: [{ organizationId: "2" }],
  };
  assertEquals(await all(readBetterAuthTeams(queryOf(tables))), [{
    id: "1",
    name: "Engines",
    createdAt: 0,
    members: [],
    invitations: [],
    problems: [],
  }]);
});

/** The columns of Clerk's export that are not empty in each row. */
const CLERK = "id,first_name,last_name,primary_email_address," +
  "verified_email_addresses,totp_secret,password_digest,password_hasher\n";

Deno.test("readClerk() reads full rows, and has defaults for empty ones", () => {
  const users = [
    {
      id: "1",
      created_at: TIME,
      locked: true,
      two_factor_enabled: true,
      external_accounts: [
        { provider: "oauth_github", provider_user_id: "7" },
        { provider: "github" },
        null,
      ],
    },
    { id: "2", external_accounts: "none" },
    null,
  ];
  const csv = CLERK + [
    "1,Ada,,ada@example.com,ada@example.com;a@example.org,SECRET,hash,bcrypt",
    "2,,Bob,bob@example.com,a@example.org bobob@example.com,,hash,",
    '3,,,eve@example.com,"x, eve@example.com",,,bcrypt',
    ",,,,,,,",
  ].join("\n");
  const plain = {
    createdAt: 0,
    passwordHash: "",
    disabled: null,
    logins: [],
    problems: [],
  };
  assertEquals([...readClerk(csv, { users })], [{
    id: "1",
    email: "ada@example.com",
    emailVerified: true,
    name: "Ada",
    createdAt: TIME,
    passwordHash: "hash",
    disabled: { reason: "", until: null },
    secondFactor: { secret: "SECRET" },
    logins: [{ provider: "github", issuer: GITHUB, subject: "7" }],
    problems: [NO_SUBJECT, UNKNOWN],
  }, {
    ...plain,
    id: "2",
    email: "bob@example.com",
    emailVerified: false,
    name: "Bob",
    passwordHash: "hash",
  }, {
    ...plain,
    id: "3",
    email: "eve@example.com",
    emailVerified: true,
    name: "",
  }, { ...plain, ...NOTHING }]);
  const [first] = readClerk("primary_email_address\nada@example.com");
  assertEquals(first, {
    ...plain,
    ...NOTHING,
    email: "ada@example.com",
  });
});

Deno.test("readSupabase() reads full rows, and has defaults for empty ones", () => {
  const [ada, bob, eve, none, ...others] = readSupabase([
    {
      id: "1",
      email: "ada@example.com",
      email_confirmed_at: ISO,
      encrypted_password: "hash",
      created_at: ISO,
      banned_until: ISO,
      raw_user_meta_data: { full_name: "Ada L.", name: "Ada" },
      identities: [
        { provider: "phone", provider_id: "1" },
        { provider: "github", identity_data: { sub: 7 } },
        { provider: "github" },
        {
          provider: "google",
          identity_data: { iss: "http://x.example", sub: "8" },
        },
        null,
      ],
      mfa_factors: [
        { status: "verified", factor_type: "phone", secret: "PHONE" },
        { status: "verified", factor_type: "totp", secret: "SECRET" },
      ],
    },
    { raw_user_meta_data: { name: "Bob" }, banned_until: TIME },
    { mfa_factors: [{ status: "verified", factor_type: "totp" }] },
    { is_anonymous: false, mfa_factors: [{ status: "unverified" }] },
    { is_anonymous: "true" },
    { deleted_at: TIME },
  ], { now: () => TIME - 1 });
  assertEquals(others, []);
  assertEquals(ada, {
    id: "1",
    email: "ada@example.com",
    emailVerified: true,
    name: "Ada L.",
    createdAt: TIME,
    passwordHash: "hash",
    disabled: { reason: "", until: TIME },
    secondFactor: { secret: "SECRET" },
    logins: [
      { provider: "github", issuer: GITHUB, subject: "7" },
      {
        provider: "google",
        issuer: "https://accounts.google.com",
        subject: "8",
      },
    ],
    problems: [NO_SUBJECT, UNKNOWN],
  });
  const plain = {
    ...NOTHING,
    createdAt: 0,
    passwordHash: "",
    disabled: null,
    logins: [],
    problems: [],
  };
  assertEquals(bob, {
    ...plain,
    name: "Bob",
    disabled: { reason: "", until: TIME },
  });
  const refusal = "the second factor is not an authenticator app";
  assertEquals(eve, { ...plain, refusal });
  assertEquals(none, plain);
  const [past] = readSupabase([{ banned_until: TIME }], { now: () => TIME });
  assertEquals(past?.disabled, null);
});

const factors: [
  row: Row,
  expected: ImportedAccount["secondFactor"],
][] = [
  [{ secret: "x:abc" }, { secret: "MFRGG", recoveryCodes: [] }],
  [{ secret: "x:base32:MFRGG" }, { secret: "MFRGG", recoveryCodes: [] }],
  [
    { secret: "x:abc", backupCodes: '["a",1]' },
    { secret: "MFRGG", recoveryCodes: ["a", "1"] },
  ],
  [
    { secret: "x:abc", backupCodes: 'x:["a"]' },
    { secret: "MFRGG", recoveryCodes: ["a"] },
  ],
  [
    { secret: "x:abc", verified: 1 },
    { secret: "MFRGG", recoveryCodes: [] },
  ],
];

const refusals: [row: Row, refusal: string][] = [
  [{ secret: null }, "the second factor is missing"],
  [{ secret: "x:abc", userId: "2" }, "the second factor is missing"],
  [
    { secret: "x:abc", verified: 0 },
    "the second factor is not an authenticator app",
  ],
  [
    { secret: "abc" },
    "the secret of better-auth does not decrypt its factor",
  ],
  [
    { secret: "x:abc", backupCodes: "x:{}" },
    "the secret of better-auth does not decrypt its factor",
  ],
  [
    { secret: "x:abc", backupCodes: "{" },
    "the secret of better-auth does not decrypt its factor",
  ],
];

/** Decrypts a text with the prefix of a test. */
function decrypt(text: string): Promise<string> {
  return text.startsWith("x:")
    ? Promise.resolve(text.slice(2))
    : Promise.reject(new Error("another secret"));
}

Deno.test("readBetterAuth() reads a second factor, or refuses the account", async () => {
  const read = async (
    row: Row,
    twoFactorEnabled = 1,
    options: BetterAuthOptions = { decrypt },
  ) => {
    const [account] = await all(readBetterAuth(
      queryOf({
        user: [{ id: "1", email: "a", twoFactorEnabled }],
        account: [{ userId: "none" }],
        twoFactor: [{ userId: "1", backupCodes: null, verified: null, ...row }],
      }),
      options,
    ));
    return [account?.secondFactor, account?.refusal];
  };
  for (const [row, expected] of factors) {
    assertEquals(await read(row), [expected, undefined]);
  }
  for (const [row, refusal] of refusals) {
    assertEquals(await read(row), [undefined, refusal]);
  }
  const [row] = factors[0]!;
  assertEquals(await read(row, 0), [undefined, undefined]);
  assertEquals(await read(row, 1, {}), [
    undefined,
    "the second factor needs the secret of better-auth",
  ]);
});

Deno.test("the readers read own columns, which may take their time", async () => {
  const extra = { company: "Engines", two_factor: "on" };
  const user = { id: "1", email: "a", name: "Ada", ...extra };
  const tables = { user: [user], account: [{ userId: "1" }] };
  const extend = ({ company }: Readonly<Record<string, unknown>>) =>
    Promise.resolve({ fields: { company: String(company) }, name: "Ada L." });
  for (const read of [readAuthJS, readLucia]) {
    const [account] = await all(read(queryOf(tables), { extend }));
    assertEquals(account?.fields, { company: "Engines" });
    assertEquals([account?.name, account?.refusal], ["Ada L.", undefined]);
  }
  const fields = ({ company }: Readonly<Record<string, unknown>>) => ({
    company: String(company),
  });
  const [account] = await all(readBetterAuth(queryOf(tables), { fields }));
  assertEquals(account?.fields, { company: "Engines" });
});
