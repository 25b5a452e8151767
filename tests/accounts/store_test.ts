import {
  accountTables,
  createMemoryAccountStore,
  createSQLAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccountStore } from "@gatehouse/web/testing";
import { assertEquals, assertThrows } from "@std/assert";

for (
  const { name, run } of testAccountStore(() => createMemoryAccountStore())
) {
  Deno.test(`createMemoryAccountStore(): ${name}`, run);
}

const names = [
  [{ prefix: "a; DROP TABLE users" }, '"a; DROP TABLE usersa"'],
  [{ usersTable: "user-table" }, '"user-table"'],
  [{ columns: { email: "e mail" } }, '"e mail"'],
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
