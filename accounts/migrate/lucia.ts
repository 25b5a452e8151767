import type { SQLQuery } from "../../session/stores/sql.ts";
import { toLogin } from "./_logins.ts";
import { type OldRow, OldTable, requireTable } from "./_old_tables.ts";
import { extend, passwordOf } from "./_own_columns.ts";
import type { OldTablesOptions } from "./auth_js.ts";
import type { ImportedAccount } from "./imported_account.ts";

/**
 * Reads the users of Lucia: the table of users that the application has, the table
 * of linked logins (`oauth_account`) of its guides, and the keys of version 2
 * (`user_key`). It changes nothing.
 *
 * @example Reading an empty database
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import { readLucia } from "@gatehouse/web/accounts/migrate";
 *
 * const accounts = readLucia(() => []);
 * await assertRejects(() => accounts.next(), TypeError, 'no table "user"');
 * ```
 *
 * @param query The function that runs a statement in the database.
 * @param options The dialect, the issuers, and your own columns.
 * @returns The accounts, for `importAccounts`.
 * @throws {TypeError} If a table or a column is missing.
 */
export async function* readLucia(
  query: SQLQuery,
  options: OldTablesOptions = {},
): AsyncGenerator<ImportedAccount, void, unknown> {
  const database = { query, dialect: options.dialect ?? "sqlite" };
  const users = await requireTable(database, "user", "users", "auth_user");
  const linked = await OldTable.find(
    database,
    "oauth_account",
    "oauth_accounts",
    "account",
    "accounts",
  );
  const keys = await OldTable.find(database, "user_key", "auth_key", "key");
  for await (const row of users.rows()) {
    const id = row.text("id") ?? "";
    const own = (await keys?.where("userId", id) ?? []).map(toKey);
    const password = own.find(({ hash }) => hash !== null);
    const logins = [
      ...(await linked?.where("userId", id) ?? []).map(toPair),
      ...own.filter(({ hash }) => hash === null),
    ].map((pair) => toLogin(pair, options.issuers ?? {}));
    const address = password?.subject.includes("@") ? password.subject : null;
    yield await extend(
      {
        id,
        email: row.text("email") ?? address,
        emailVerified: row.flag("emailVerified") || row.flag("verified"),
        name: row.text("name") ?? row.text("username") ?? "",
        createdAt: row.time("createdAt") ?? 0,
        passwordHash: password?.hash ?? passwordOf(row),
        logins: logins.filter((one) => typeof one === "object"),
        problems: logins.filter((one) => typeof one === "string"),
      },
      row,
      options.extend,
    );
  }
}

function toPair(row: OldRow) {
  const provider = row.text("providerId") ?? row.text("provider") ?? "";
  const subject = row.text("providerUserId") ?? row.text("providerAccountId") ??
    "";
  return { row, provider, subject };
}

/** Reads a key of version 2, whose id is the provider and the user there. */
function toKey(row: OldRow) {
  const [, provider = "", subject = ""] =
    /^([^:]*):(.*)$/s.exec(row.text("id") ?? "") ?? [];
  return { row, provider, subject, hash: row.text("hashedPassword") };
}
