import type { SQLQuery } from "../../session/stores/sql.ts";
import { SQLDatabase } from "./_sql_database.ts";
import { SQLAccountStore } from "./sql_accounts.ts";
import type { AccountStore } from "./store.ts";

/** Options for {@linkcode createSQLAccountStore}. */
export interface SQLAccountStoreOptions {
  /**
   * The SQL dialect. SQLite includes D1 and Durable Objects.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * The beginning of the names of all tables.
   *
   * @default {"gatehouse_"}
   */
  readonly prefix?: string;
  /**
   * The table of the accounts, if you have one. Its id must be a string. Missing
   * columns are added.
   *
   * @default {the prefix and "users"}
   */
  readonly usersTable?: string;
  /**
   * The columns of your table that have other names, such as `mail` for `email`.
   *
   * @default {the names of the columns}
   */
  readonly columns?: Readonly<
    Partial<
      Record<
        | "id"
        | "email"
        | "email_verified"
        | "name"
        | "role"
        | "language"
        | "fields"
        | "password_hash"
        | "version"
        | "ways_after"
        | "created_at"
        | "disabled_reason"
        | "disabled_until"
        | "delete_at",
        string
      >
    >
  >;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Creates a store of accounts in a SQL database. It needs one function that runs a
 * statement, and no transactions: a pool, an HTTP gateway or D1 works. Its first
 * use creates the tables that are missing.
 *
 * @example Print the statements
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
 *
 * const statements: string[] = [];
 * const store = createSQLAccountStore((sql) => {
 *   statements.push(sql);
 *   return [];
 * });
 * await store.find("unknown");
 * assertStringIncludes(statements[1], "CREATE TABLE IF NOT EXISTS");
 * ```
 *
 * @param query The function that runs a statement, as for sessions.
 * @param options The dialect and the names of the tables.
 * @returns The store.
 * @throws {TypeError} If a name is not a plain identifier.
 */
export function createSQLAccountStore(
  query: SQLQuery,
  options: SQLAccountStoreOptions = {},
): AccountStore {
  return new SQLAccountStore(new SQLDatabase(query, options));
}
