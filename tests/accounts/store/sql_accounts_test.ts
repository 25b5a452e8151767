import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  AccountStoreError,
  createMemoryAccountStore,
  createSQLAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { assertEquals, assertRejects } from "@std/assert";

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
