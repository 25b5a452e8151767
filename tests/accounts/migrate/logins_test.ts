/** The issuers of linked logins in the tables of other systems. */
import { assertEquals } from "@std/assert";
import { readAuthJS } from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row } from "./_old_database.ts";

/** Returns an ID token, whose signature no reader checks. */
function tokenOf(claims: unknown): string {
  const payload = btoa(JSON.stringify(claims)).replaceAll("=", "");
  return `header.${payload}.signature`;
}

const NO_ISSUER = (provider: string) =>
  `the issuer of the provider "${provider}" is unknown: see the option issuers`;

const rows: [row: Row, expected: string][] = [
  [{ provider: "github" }, "github at https://github.com"],
  [{ provider: "twitter" }, "x at https://x.com"],
  [{ provider: "x" }, "x at https://x.com"],
  [{ provider: "own" }, "own at https://own.example"],
  [{ provider: "unknown" }, NO_ISSUER("unknown")],
  [{ provider: "toString" }, NO_ISSUER("toString")],
  [{ provider: "empty" }, NO_ISSUER("empty")],
  [
    { provider: "github", providerAccountId: "" },
    'a login at "github" has no subject',
  ],
  [
    {
      provider: "entra",
      id_token: tokenOf({ iss: "https://login.example", sub: "7" }),
    },
    "entra at https://login.example",
  ],
  [
    {
      provider: "github",
      id_token: tokenOf({ iss: "https://login.example", sub: "7" }),
    },
    "github at https://login.example",
  ],
  [
    {
      provider: "own",
      id_token: tokenOf({ iss: "https://login.example", sub: "7" }),
    },
    "own at https://own.example",
  ],
  [
    {
      provider: "entra",
      id_token: tokenOf({ iss: "https://login.example", sub: "8" }),
    },
    NO_ISSUER("entra"),
  ],
  [
    { provider: "entra", id_token: tokenOf({ iss: 1, sub: "7" }) },
    NO_ISSUER("entra"),
  ],
  [{ provider: "entra", id_token: tokenOf(null) }, NO_ISSUER("entra")],
  [{ provider: "entra", id_token: "a.%.c" }, NO_ISSUER("entra")],
  [{ provider: "entra", id_token: "a" }, NO_ISSUER("entra")],
  // Google has two spellings of its issuer.
  [
    {
      provider: "google",
      id_token: tokenOf({ iss: "accounts.google.com", sub: "7" }),
    },
    "google at https://accounts.google.com",
  ],
];

for (const [index, [row, expected]] of rows.entries()) {
  Deno.test(`a linked login becomes "${expected}" (row ${index + 1})`, async () => {
    const account = { userId: "u1", providerAccountId: "7", ...row };
    const query = queryOf({
      user: [{ id: "u1", email: null }],
      account: [account],
    });
    const issuers = { own: "https://own.example", empty: "" };
    const { value } = await readAuthJS(query, { issuers }).next();
    const { logins = [], problems = [] } = value!;
    const found = logins.map(({ issuer, provider, subject }) =>
      subject === "7" ? `${provider} at ${issuer}` : subject
    );
    assertEquals([...found, ...problems], [expected]);
  });
}
