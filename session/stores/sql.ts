/**
 * A session store on any SQL database with the dialect of SQLite or PostgreSQL.
 *
 * @module
 */
import {
  checkIndex,
  checkKey,
  isKey,
  type KeyPage,
  type KeyVersion,
  newVersion,
  type PutOptions,
  type SessionStore,
  type StoredValue,
} from "../store.ts";
import { createMissing, INDEX_COLUMNS } from "./sql_table.ts";

/** A parameter of a statement. */
export type SQLValue = string | number | null;

/** A row of a result. */
export type SQLRow = Record<string, unknown>;

/** Runs one statement with its parameters and returns its rows. */
export type SQLQuery = (
  sql: string,
  params: SQLValue[],
) => readonly SQLRow[] | Promise<readonly SQLRow[]>;

/** Options for {@linkcode createSQLSessionStore}. */
export interface SQLSessionStoreOptions {
  /**
   * The SQL dialect: SQLite with `?` as placeholder, or PostgreSQL with `$1`.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * The name of the table.
   *
   * @default {"gatehouse_sessions"}
   */
  readonly table?: string;
  /**
   * `true` to create the table and its indexes at first use if they are missing.
   *
   * @default {true}
   */
  readonly createTable?: boolean;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The maximum numbers of rows per statement and statements per sweep. */
const SWEEP = { rows: 1_000, statements: 100 };

/**
 * The time in milliseconds that a call waits for another one to create the table,
 * or an insert for the removal of expired rows.
 */
const LONGEST_WAIT = 50;

/** The number of keys in a page. */
const PAGE = 1_000;

/**
 * One of so many inserts removes expired rows, up to a limit: more than the
 * inserts add.
 */
const REMOVAL = { inserts: 8, rows: 32 };

/**
 * Creates a session store in an SQL table. It needs one function that runs a
 * statement, and no transactions: a pool, an HTTP gateway or D1 works.
 *
 * With node:sqlite: `(sql, params) => db.prepare(sql).all(...params)`. With
 * postgres: `(sql, params) => db.unsafe(sql, params)`. With D1: `async (sql,
 * params) => (await db.prepare(sql).bind(...params).all()).results`.
 *
 * @example Print the statements
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * import { createSQLSessionStore } from "@gatehouse/web/session/sql";
 *
 * const statements: string[] = [];
 * const store = createSQLSessionStore((sql) => {
 *   statements.push(sql);
 *   return [];
 * });
 * await store.get("key");
 * assertStringIncludes(statements[1], "CREATE TABLE IF NOT EXISTS");
 * ```
 *
 * @param query The function that runs a statement.
 * @param options The dialect and the table.
 * @returns The store.
 * @throws {TypeError} If the table's name is not a plain identifier.
 */
export function createSQLSessionStore(
  query: SQLQuery,
  options: SQLSessionStoreOptions = {},
): SessionStore {
  return new SQLStore(query, options);
}

class SQLStore implements SessionStore {
  readonly consistency = "strong";
  readonly #query: SQLQuery;
  readonly #dialect: "sqlite" | "postgres";
  readonly #table: string;
  readonly #now: () => number;
  #isReady: boolean;
  #preparing: Promise<void> | undefined;
  #inserts = 0;

  constructor(query: SQLQuery, options: SQLSessionStoreOptions) {
    const { table = "gatehouse_sessions" } = options;
    if (!/^[A-Za-z_]\w{0,39}$/.test(table)) {
      throw new TypeError(
        `Cannot create session store: table "${table}" is not a plain name`,
      );
    }
    this.#query = query;
    this.#dialect = options.dialect ?? "sqlite";
    this.#table = table;
    const { now = Date.now } = options;
    // PostgreSQL rejects fractions for a BIGINT.
    this.#now = () => Math.floor(now());
    this.#isReady = options.createTable === false;
  }

  async get(key: string): Promise<StoredValue | null> {
    if (!isKey(key)) return null;
    const [row] = await this.#run(
      `SELECT value, version FROM ${this.#table} WHERE id = ? AND expires_at > ?`,
      [key, this.#now()],
    );
    return row === undefined
      ? null
      : { value: String(row.value), version: String(row.version) };
  }

  async put(
    key: string,
    value: string,
    options: PutOptions,
  ): Promise<boolean> {
    checkKey(key);
    const now = this.#now();
    const row = [
      value,
      newVersion(),
      Math.ceil(now + options.ttl),
      ...indexColumns(options.index ?? []),
    ];
    if (options.ifVersion === null) return await this.#insert(key, row, now);
    const rows = await this.#run(
      `UPDATE ${this.#table} SET ${COLUMNS.map((name) => `${name} = ?`)}
      WHERE id = ? AND version = ? AND expires_at > ? RETURNING id`,
      [...row, key, options.ifVersion, now],
    );
    return rows.length > 0;
  }

  async delete(key: string): Promise<void> {
    if (!isKey(key)) return;
    await this.#run(`DELETE FROM ${this.#table} WHERE id = ?`, [key]);
  }

  async byIndex(name: string): Promise<string[]> {
    const rows = await this.#run(
      `SELECT id FROM ${this.#table} WHERE (${
        INDEX_COLUMNS.map((column) => `${column} = ?`).join(" OR ")
      }) AND expires_at > ?`,
      [...INDEX_COLUMNS.map(() => name), this.#now()],
    );
    return rows.map((row) => String(row.id));
  }

  async keys(after = ""): Promise<KeyPage> {
    const rows = await this.#run(
      `SELECT id FROM ${this.#table} WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
      [after],
    );
    const keys = rows.map((row) => String(row.id));
    return { keys, next: keys.length < PAGE ? undefined : keys.at(-1) };
  }

  async getMany(keys: readonly string[]): Promise<(StoredValue | null)[]> {
    // All keys share one parameter, because D1 allows at most 100.
    const list = this.#dialect === "sqlite"
      ? "SELECT value FROM json_each(?)"
      : "SELECT json_array_elements_text(?::text::json)";
    const rows = await this.#run(
      `SELECT id, value, version FROM ${this.#table} WHERE id IN (${list})
      AND expires_at > ?`,
      [JSON.stringify(keys.filter(isKey)), this.#now()],
    );
    const found = new Map(rows.map((row) => [String(row.id), {
      value: String(row.value),
      version: String(row.version),
    }]));
    return keys.map((key) => found.get(key) ?? null);
  }

  async replaceMany(
    entries: readonly KeyVersion[],
    value: string,
    ttl: number,
  ): Promise<string[]> {
    const now = this.#now();
    const list = this.#dialect === "sqlite"
      ? `SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]')
        FROM json_each(?)`
      : `SELECT entry->>0, entry->>1
        FROM json_array_elements(?::text::json) AS entry`;
    const pairs = entries.map(({ key, version }) => [key, version]);
    const rows = await this.#run(
      `UPDATE ${this.#table} SET ${COLUMNS.map((name) => `${name} = ?`)}
      WHERE (id, version) IN (${list}) AND expires_at > ? RETURNING id`,
      [
        value,
        newVersion(),
        Math.ceil(now + ttl),
        ...indexColumns([]),
        JSON.stringify(pairs),
        now,
      ],
    );
    return rows.map((row) => String(row.id));
  }

  async sweep(now: number): Promise<boolean> {
    const time = Math.floor(now);
    for (let count = 0; count < SWEEP.statements; count++) {
      const removed = await this.#removeExpired(time, SWEEP.rows);
      if (removed < SWEEP.rows) return false;
      // A database in this process would block all other requests without this
      // pause.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return true;
  }

  /**
   * Inserts a row or replaces an expired one. The first insert and each eighth one
   * after it remove expired rows, so that the table does not grow without sweeps,
   * even if each process inserts one row.
   */
  async #insert(key: string, row: SQLValue[], now: number): Promise<boolean> {
    const rows = await this.#run(
      `INSERT INTO ${this.#table} (${COLUMNS}, id) VALUES (${
        [...row, key].map(() => "?")
      }) ON CONFLICT (id) DO UPDATE SET ${
        COLUMNS.map((name) => `${name} = excluded.${name}`)
      } WHERE ${this.#table}.expires_at <= ? RETURNING id`,
      [...row, key, now],
    );
    if (rows.length === 0) return false;
    if (this.#inserts++ % REMOVAL.inserts > 0) return true;
    // The row is stored already, and the removal of others never makes a
    // visitor wait long. If it fails, the next insert tries again.
    await settled(this.#removeExpired(now, REMOVAL.rows));
    return true;
  }

  /** Removes expired rows up to a limit, oldest first, and returns their number. */
  async #removeExpired(now: number, limit: number): Promise<number> {
    const oldest = `SELECT id FROM ${this.#table} WHERE expires_at <= ?
      ORDER BY expires_at LIMIT ${limit}`;
    // PostgreSQL uses the index of the key for an array, but scans the whole
    // table for IN. SKIP LOCKED skips rows that other connections are writing.
    const matches = this.#dialect === "sqlite"
      ? `IN (${oldest})`
      : `= ANY(ARRAY(${oldest} FOR UPDATE SKIP LOCKED))`;
    // The statement compares the time again, because another writer may have
    // replaced a row.
    const removed = await this.#run(
      `DELETE FROM ${this.#table} WHERE id ${matches} AND expires_at <= ?
      RETURNING id`,
      [now, now],
    );
    return removed.length;
  }

  async #run(sql: string, params: SQLValue[]): Promise<readonly SQLRow[]> {
    if (!this.#isReady) await this.#prepare();
    return await this.#query(this.#withPlaceholders(sql), params);
  }

  #withPlaceholders(sql: string): string {
    if (this.#dialect === "sqlite") return sql;
    let count = 0;
    return sql.replaceAll("?", () => `$${++count}`);
  }

  /**
   * Creates the table and its indexes if they are missing. Concurrent first calls
   * share one attempt for a short time only: they must not all wait for a
   * statement that never settles.
   */
  async #prepare(): Promise<void> {
    if (this.#preparing !== undefined) {
      await settled(this.#preparing);
      if (this.#isReady) return;
    }
    const preparing = createMissing(
      this.#query,
      this.#dialect,
      this.#table,
    );
    this.#preparing = preparing;
    try {
      await preparing;
      this.#isReady = true;
    } finally {
      if (this.#preparing === preparing) this.#preparing = undefined;
    }
  }
}

/** Waits until a promise settles, but not long. */
async function settled(promise: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LONGEST_WAIT);
  await Promise.race([promise, timeout]).catch(() => {});
  clearTimeout(timer);
}

/** All columns except the key. */
const COLUMNS = ["value", "version", "expires_at", ...INDEX_COLUMNS];

function indexColumns(names: readonly string[]): SQLValue[] {
  checkIndex(names);
  return INDEX_COLUMNS.map((_column, position) => names[position] ?? null);
}
