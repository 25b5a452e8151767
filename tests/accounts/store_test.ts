import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  AccountStoreError,
  accountTables,
  createMemoryAccountStore,
  createSQLAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { testAccountStore } from "@gatehouse/web/testing";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";

for (
  const { name, run } of testAccountStore(() => createMemoryAccountStore())
) {
  Deno.test(`createMemoryAccountStore(): ${name}`, run);
}

const names = [
  [{ prefix: "a; DROP TABLE users" }, 'prefix "a; DROP TABLE users"'],
  [{ usersTable: "user-table" }, 'usersTable "user-table"'],
  [{ columns: { email: "e mail" } }, 'columns.email "e mail"'],
  [{ columns: { mail: "email" } }, 'column "mail" is unknown'],
  [{ dialect: "mysql" }, 'dialect "mysql" is unknown'],
] as const;

for (const [options, message] of names) {
  Deno.test(`createSQLAccountStore() refuses ${JSON.stringify(options)}`, () => {
    assertThrows(
      // @ts-expect-error Callers without types pass such options too.
      () => createSQLAccountStore(() => [], options),
      TypeError,
      message,
    );
  });
}

Deno.test("accountTables() refuses an unknown dialect", () => {
  // @ts-expect-error The dialect does not exist.
  assertThrows(() => accountTables("mysql"), TypeError, "mysql");
});

Deno.test("accountTables() uses the names of the options", () => {
  const columns = { email: "mail" };
  const statements = accountTables("sqlite", {
    prefix: "app_",
    usersTable: "members",
    columns,
  });
  const text = statements.join("\n");
  assertEquals(text.includes("CREATE TABLE IF NOT EXISTS members"), true);
  assertEquals(text.includes("members (mail)"), true);
  assertEquals(text.includes("gatehouse_"), false);
});

Deno.test("an account that changes all the time fails the call, which does not try for ever", async () => {
  const database = createMemoryAccountStore();
  const accounts = testAccounts({
    database,
    definition: defineAccounts({
      scopes: ["a"],
      teamRoles: ["owner", "reader"],
    }),
  });
  const ada = { email: "ada@example.com", name: "Ada" };
  const { id } = (await accounts.users.create(ada))!;
  database.change = () => Promise.resolve(null);
  database.remove = () => Promise.resolve(false);
  database.addWayIn = () => Promise.resolve(false);
  database.teams!.create = () => Promise.resolve(false);
  const calls = [
    () => accounts.users.endAccess(id),
    () => accounts.users.remove(id),
    () => accounts.keys.issue(id, { name: "Key", scopes: ["a"] }),
    () => accounts.teams.create("Team", id),
  ];
  for (const call of calls) await assertRejects(call, AccountStoreError);
});

const rows = ["", "{", "null", "[]", '"secret"', "secret"];

for (const fields of rows) {
  Deno.test(`an account whose column of fields has ${JSON.stringify(fields)} fails without its text`, async () => {
    const row = { id: "a1", email: "ada@example.com", fields, version: 1 };
    const store = createSQLAccountStore((sql) =>
      sql.includes(" u WHERE ") ? [row] : []
    );
    const error = await assertRejects(
      () => store.find("a1"),
      AccountStoreError,
    );
    assertEquals(`${error}${error.cause?.message}`.includes("secret"), false);
  });
}

Deno.test("a block whose stored end is malformed fails, and does not end", async () => {
  const row = { id: "a1", fields: "{}", disabled_reason: "spam" };
  const store = createSQLAccountStore((sql) =>
    sql.includes(" u WHERE ") ? [{ ...row, disabled_until: "soon" }] : []
  );
  await assertRejects(() => store.find("a1"), AccountStoreError);
});
