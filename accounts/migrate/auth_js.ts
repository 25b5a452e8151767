import type { SQLQuery } from "../../session/stores/sql.ts";
import { toLogin } from "./_logins.ts";
import { type OldRow, OldTable, requireTable } from "./_old_tables.ts";
import { extend, type ExtendAccount, passwordOf } from "./_own_columns.ts";
import { toPasskey } from "./_passkeys.ts";
import type { ImportedAccount } from "./imported_account.ts";

/** Options for {@linkcode readAuthJS} and {@linkcode readLucia}. */
export interface OldTablesOptions {
  /**
   * The SQL dialect.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * The issuers of providers, by their ids in the other system. The reader knows
   * those of Google, GitHub and other large providers.
   *
   * @default {no other issuers}
   */
  readonly issuers?: Readonly<Record<string, string>>;
  /**
   * Returns what your own columns of a user contain, such as `passwordHash` or
   * `secondFactor`. Without it, accounts whose columns may contain a second factor
   * are refused.
   *
   * @default {undefined}
   */
  readonly extend?: (
    row: Readonly<Record<string, unknown>>,
  ) => Partial<ImportedAccount> | Promise<Partial<ImportedAccount>>;
}

/** The provider ids of logins without a provider. */
const OWN_PROVIDERS = ["credentials", "email", "passkey", "webauthn"];

/**
 * Reads the users of Auth.js from the tables of its adapters: addresses, linked
 * logins and passkeys, and a hash of the password in a column with a usual name. It
 * changes nothing.
 *
 * @example Reading an empty database
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import { readAuthJS } from "@gatehouse/web/accounts/migrate";
 *
 * const accounts = readAuthJS(() => []);
 * await assertRejects(() => accounts.next(), TypeError, 'no table "users"');
 * ```
 *
 * @param query The function that runs a statement in the database of Auth.js.
 * @param options The dialect, the issuers, and your own columns.
 * @returns The accounts, for `importAccounts`.
 * @throws {TypeError} If a table or a column is missing.
 */
export async function* readAuthJS(
  query: SQLQuery,
  options: OldTablesOptions = {},
): AsyncGenerator<ImportedAccount, void, unknown> {
  const database = { query, dialect: options.dialect ?? "sqlite" };
  const users = await requireTable(database, "users", "user");
  const accounts = await requireTable(database, "accounts", "account");
  const keys = await OldTable.find(database, "authenticators", "authenticator");
  for await (const row of users.rows()) {
    const id = row.text("id") ?? "";
    const logins = (await accounts.where("userId", id))
      .filter((one) => !OWN_PROVIDERS.includes(one.text("provider") ?? ""))
      .map((one) => loginOf(one, options.issuers ?? {}));
    const passkeys = (await keys?.where("userId", id) ?? []).map(toPasskey);
    yield await extend(
      {
        id,
        email: row.text("email"),
        // Adapters store the time of the verification.
        emailVerified: row.time("emailVerified") !== null,
        name: row.text("name") ?? "",
        createdAt: row.time("createdAt") ?? 0,
        passwordHash: passwordOf(row),
        logins: logins.filter((one) => typeof one === "object"),
        passkeys: passkeys.filter((one) => typeof one === "object"),
        problems: [...logins, ...passkeys].filter((one) =>
          typeof one === "string"
        ),
      },
      row,
      options.extend satisfies ExtendAccount | undefined,
    );
  }
}

function loginOf(row: OldRow, issuers: Readonly<Record<string, string>>) {
  const provider = row.text("provider") ?? "";
  const subject = row.text("providerAccountId") ?? "";
  return toLogin({ row, provider, subject }, issuers);
}
