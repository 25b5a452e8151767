import type { SessionStore } from "../../session/mod.ts";
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
  type SQLValue,
} from "../../session/stores/sql.ts";
import { checkOptions, FUNCTION } from "../option_checks.ts";
import {
  COLUMNS,
  type Dialect,
  migrateTables,
  namesOf,
  type TableNames,
} from "./_tables.ts";
import { AccountStoreError } from "./errors.ts";
import type { SQLAccountStoreOptions } from "./sql.ts";

/** The checks of the functions of a database. */
const FUNCTIONS = { query: FUNCTION, now: FUNCTION };

/** A SQL database with the tables of accounts, which its first use creates. */
export class SQLDatabase {
  /** The names of the tables and columns. */
  readonly names: TableNames;
  /** The dialect. */
  readonly dialect: Dialect;
  /** The columns of an account in the table `u`, for `SELECT`. */
  readonly accountColumns: string;
  /** The store of values, which has a separate table. */
  readonly values: SessionStore;
  readonly #query: SQLQuery;
  #isReady = false;

  /** @throws {TypeError} If the dialect or a name is unknown or malformed. */
  constructor(query: SQLQuery, options: SQLAccountStoreOptions) {
    const { dialect = "sqlite", now = Date.now } = options;
    if (dialect !== "sqlite" && dialect !== "postgres") {
      throw new TypeError(
        `Cannot create account store: dialect "${dialect}" is unknown`,
      );
    }
    const functions = { query: query ?? null, now };
    checkOptions("create account store", functions, FUNCTIONS);
    this.#query = query;
    this.dialect = dialect;
    this.names = namesOf(options);
    this.accountColumns = COLUMNS
      .map((column) => `u.${this.names.columns[column]} AS ${column}`)
      .join(", ");
    const { values: table } = this.names;
    this.values = createSQLSessionStore(query, { dialect, table, now });
  }

  /** Creates the tables that are missing. */
  async migrate(): Promise<void> {
    await migrateTables(this.#query, this.dialect, this.names);
    // The first call creates the table of the values.
    await this.values.get("migrated");
    this.#isReady = true;
  }

  /** Returns a clause that only PostgreSQL has, which locks rows. */
  lock(clause: "FOR SHARE" | `FOR UPDATE OF ${string}`): string {
    return this.dialect === "postgres" ? clause : "";
  }

  /** Runs a statement with `?` for each value, and returns its rows. */
  async run(sql: string, params: SQLValue[]): Promise<readonly SQLRow[]> {
    // PostgreSQL accepts no string with this character.
    if (params.some((value) => String(value).includes("\0"))) return [];
    try {
      // Each request awaits its own attempt: on Workers, a promise of another
      // request may never settle.
      if (!this.#isReady) await this.migrate();
      return await this.#query(this.#withPlaceholders(sql), params);
    } catch (cause) {
      throw new AccountStoreError({ cause });
    }
  }

  /** Runs a statement, and returns `true` if it returns a row. */
  async changes(sql: string, params: SQLValue[]): Promise<boolean> {
    return (await this.run(sql, params)).length > 0;
  }

  #withPlaceholders(sql: string): string {
    if (this.dialect === "sqlite") return sql;
    let count = 0;
    return sql.replaceAll("?", () => `$${++count}`);
  }
}
