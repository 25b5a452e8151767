import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { assertThrows } from "@std/assert";

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
