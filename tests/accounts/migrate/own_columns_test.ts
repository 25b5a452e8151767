/** Own columns of the tables of other systems, and their dialects. */
import { assertEquals } from "@std/assert";
import { readAuthJS, readBetterAuth } from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row } from "./_old_database.ts";

const ADA: Row = { id: "u1", email: "ada@example.com", name: "Ada" };

/** Reads a user with a linked login. */
async function read(user: Row, account: Row) {
  const query = queryOf({ user: [{ ...ADA, ...user }], account: [account] });
  const { value } = await readAuthJS(query).next();
  return value!;
}

for (const value of [null, "", 0, false, "false", "f", "0"]) {
  Deno.test(`readAuthJS() imports a user whose second factor is ${JSON.stringify(value)}`, async () => {
    const user = await read({ two_factor: value }, { userId: "other" });
    assertEquals(user.refusal, undefined);
  });
}

for (const value of [1, true, "true", "t", "1", "JBSWY3DPEHPK3PXP"]) {
  Deno.test(`readAuthJS() refuses a user whose second factor is ${JSON.stringify(value)}`, async () => {
    const user = await read({ two_factor: value }, { userId: "other" });
    const refusal =
      'the column "two_factor" may be a second factor: see the option extend';
    assertEquals(user.refusal, refusal);
  });
}

Deno.test("readAuthJS() reports a linked login without a provider", async () => {
  const account = { userId: "u1", provider: null, providerAccountId: "7" };
  const { logins, problems } = await read({}, account);
  const problem =
    'the issuer of the provider "" is unknown: see the option issuers';
  assertEquals([logins, problems], [[], [problem]]);
});

for (const read of [readAuthJS, readBetterAuth]) {
  Deno.test(`${read.name}() asks PostgreSQL in its own dialect`, async () => {
    const account = { userId: "u1", providerId: "google", provider: "google" };
    const query = queryOf({ user: [ADA], account: [account] });
    const statements: string[] = [];
    const accounts = read((sql, params) => {
      statements.push(sql);
      return query(sql, params);
    }, { dialect: "postgres" });
    assertEquals((await accounts.next()).value?.email, ADA.email);
    const foreign = statements.filter((sql) => /sqlite|\?/.test(sql));
    assertEquals([statements.length > 3, foreign], [true, []]);
  });
}
