import { accountTables } from "@gatehouse/web/accounts/store";
import { assertEquals, assertThrows } from "@std/assert";

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
