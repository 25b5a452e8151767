import type { SessionStore } from "../../session/mod.ts";
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
  type SQLValue,
} from "../../session/stores/sql.ts";
import { SQLAuditStore } from "./sql_audit.ts";
import type { AuditStore } from "./audit.ts";
import { SQLTeamStore } from "./sql_teams.ts";
import type { TeamStore } from "./teams.ts";
import { toAccount, toWayIn } from "./_rows.ts";
import {
  type AccountColumn,
  COLUMNS,
  type Dialect,
  migrateTables,
  namesOf,
  type TableNames,
} from "./_tables.ts";
import { AccountStoreError } from "./errors.ts";
import { type Cursor, readCursor, toPage } from "./_pages.ts";
import type {
  AccountChange,
  AccountDetails,
  AccountListOptions,
  AccountLogin,
  AccountPage,
  AccountStore,
  FoundWayIn,
  NewAccount,
  StoredAccount,
  WayIn,
  WayInUse,
} from "./store.ts";

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
  return new SQLAccountStore(query, options);
}

const WAY_COLUMNS = [
  "kind",
  "id",
  "user_id",
  "name",
  "created_at",
  "used_at",
  "counter",
  "data",
];

const WAY_SELECT = WAY_COLUMNS.map((name) => `w.${name} AS way_${name}`)
  .join(", ");

class SQLAccountStore implements AccountStore {
  readonly values: SessionStore;
  readonly teams: TeamStore;
  readonly audit: AuditStore;
  readonly #query: SQLQuery;
  readonly #dialect: Dialect;
  readonly #names: TableNames;
  /** The columns of an account, for `SELECT`. */
  readonly #select: string;
  /** Locks the account that a statement has read, if the database has locks. */
  readonly #lock: string;
  #isReady = false;

  constructor(query: SQLQuery, options: SQLAccountStoreOptions) {
    const { dialect = "sqlite", now = Date.now } = options;
    if (dialect !== "sqlite" && dialect !== "postgres") {
      throw new TypeError(
        `Cannot create account store: dialect "${dialect}" is unknown`,
      );
    }
    this.#query = query;
    this.#dialect = dialect;
    this.#names = namesOf(options);
    this.#lock = dialect === "postgres" ? "FOR SHARE" : "";
    this.#select = COLUMNS
      .map((column) => `u.${this.#names.columns[column]} AS ${column}`)
      .join(", ");
    const { values: table } = this.#names;
    this.values = createSQLSessionStore(query, { dialect, table, now });
    this.audit = new SQLAuditStore(
      this.#names.audit,
      (sql, params) => this.#run(sql, params),
    );
    this.teams = new SQLTeamStore({
      dialect,
      names: this.#names,
      run: (sql, params) => this.#run(sql, params),
    });
  }

  async migrate(): Promise<void> {
    await migrateTables(this.#query, this.#dialect, this.#names);
    // The first call creates the table of the values.
    await this.values.get("migrated");
    this.#isReady = true;
  }

  async find(id: string): Promise<StoredAccount | null> {
    return await this.#findBy("id", id);
  }

  async findByEmail(email: string): Promise<StoredAccount | null> {
    return await this.#findBy("email", email);
  }

  async findLogin(email: string): Promise<AccountLogin | null> {
    const [row] = await this.#selectBy("email", email);
    return row === undefined
      ? null
      : { account: toAccount(row), passwordHash: String(row.password_hash) };
  }

  async list(options: AccountListOptions = {}): Promise<AccountPage> {
    const cursor = readCursor(options);
    if (cursor === null) return { accounts: [], next: undefined };
    const { where, params } = this.#conditions(options, cursor);
    const { created_at, id } = this.#names.columns;
    const rows = await this.#run(
      `SELECT ${this.#select} FROM ${this.#names.users} u ${where}
      ORDER BY u.${created_at}, u.${id} LIMIT ${cursor.limit + 1}`,
      params,
    );
    return toPage(rows.map(toAccount), cursor.limit);
  }

  #conditions(
    { role, search }: AccountListOptions,
    { after }: Cursor,
  ): { where: string; params: SQLValue[] } {
    const { columns } = this.#names;
    const conditions: [sql: string, params: SQLValue[]][] = [];
    if (after !== undefined) {
      const { createdAt, id } = after;
      conditions.push([
        `(u.${columns.created_at} > ? OR u.${columns.created_at} = ? AND u.${columns.id} > ?)`,
        [createdAt, createdAt, id],
      ]);
    }
    if (role !== undefined) {
      conditions.push([`u.${columns.role} = ?`, [role]]);
    }
    if (search !== undefined) {
      const part = search.toLowerCase().replaceAll(/[!%_]/g, "!$&");
      conditions.push([
        `(lower(u.${columns.name}) LIKE ? ESCAPE '!' OR u.${columns.email} LIKE ? ESCAPE '!')`,
        [`%${part}%`, `%${part}%`],
      ]);
    }
    const where = conditions.map(([sql]) => sql).join(" AND ");
    return {
      where: where === "" ? "" : `WHERE ${where}`,
      params: conditions.flatMap(([, params]) => params),
    };
  }

  async due(now: number): Promise<readonly StoredAccount[]> {
    const { users, columns } = this.#names;
    const rows = await this.#run(
      `SELECT ${this.#select} FROM ${users} u WHERE u.${columns.delete_at} <= ?
      ORDER BY u.${columns.delete_at} LIMIT 100`,
      [Math.floor(now)],
    );
    return rows.map(toAccount);
  }

  async create(account: NewAccount): Promise<StoredAccount | null> {
    const { users, columns } = this.#names;
    const values: [AccountColumn, SQLValue][] = [
      ["id", account.id],
      ["email", account.email],
      ["email_verified", Number(account.emailVerified)],
      ["name", account.name],
      ["role", account.role],
      ["language", account.language],
      ["fields", JSON.stringify(account.fields)],
      ["password_hash", account.passwordHash],
      ["version", 1],
      ["ways_after", 0],
      ["created_at", Math.floor(account.createdAt)],
    ];
    const rows = await this.#run(
      `INSERT INTO ${users} (${values.map(([column]) => columns[column])})
      VALUES (${values.map(() => "?")})
      ON CONFLICT (${columns.email}) DO NOTHING RETURNING ${columns.id}`,
      values.map(([, value]) => value),
    );
    return rows.length === 0 ? null : await this.find(account.id);
  }

  async update(id: string, details: AccountDetails): Promise<boolean> {
    const { name, role, language, fields, deleteAt } = details;
    return await this.#set([
      ["name", name],
      ["role", role],
      ["language", language],
      ["fields", fields && JSON.stringify(fields)],
      ["delete_at", deleteAt && Math.floor(deleteAt)],
    ], [["id", id]]);
  }

  async setRole(id: string, role: string, keep: string): Promise<boolean> {
    const { users, columns: c } = this.#names;
    // Two administrators who lose the role at once would both see the other one
    // without this lock.
    const lock = this.#dialect === "postgres" ? "FOR UPDATE OF u" : "";
    const rows = await this.#run(
      `WITH keepers AS (
        SELECT u.${c.id} AS keeper FROM ${users} u WHERE u.${c.role} = ?
        AND u.${c.disabled_reason} IS NULL AND u.${c.delete_at} IS NULL
        ORDER BY u.${c.id} ${lock}
      ) UPDATE ${users} SET ${c.role} = ? WHERE ${c.id} = ?
      AND CASE WHEN ${c.role} = ?
        THEN (SELECT COUNT(*) FROM keepers WHERE keeper <> ${users}.${c.id})
        ELSE 1 END > 0 RETURNING ${c.id}`,
      [keep, role, id, keep],
    );
    return rows.length > 0;
  }

  async change(
    id: string,
    version: number,
    change: AccountChange,
  ): Promise<number | null> {
    const { disabled, email, emailVerified, passwordHash } = change;
    const next = version + 1;
    const until = disabled?.until ?? null;
    const set = () =>
      this.#set([
        ["version", next],
        ["ways_after", change.removeWaysIn ? next : undefined],
        ["password_hash", passwordHash],
        ["email", email],
        [
          "email_verified",
          emailVerified === undefined ? undefined : Number(emailVerified),
        ],
        [
          "disabled_reason",
          disabled === undefined ? undefined : disabled?.reason ?? null,
        ],
        [
          "disabled_until",
          disabled === undefined ? undefined : until && Math.floor(until),
        ],
      ], [["id", id], ["version", version]]);
    if (!await this.#unlessTaken(id, email, set)) return null;
    if (change.removeWaysIn) {
      // The rows are invalid already. If this fails, they only take up space.
      await this.#run(
        `DELETE FROM ${this.#names.waysIn} WHERE user_id = ? AND version < ?`,
        [id, next],
      );
    }
    return next;
  }

  /** Returns `false` if a statement fails because of another account's address. */
  async #unlessTaken(
    id: string,
    email: string | undefined,
    run: () => Promise<boolean>,
  ): Promise<boolean> {
    if (email === undefined) return await run();
    const isTaken = async () => {
      const owner = await this.findByEmail(email);
      return owner !== null && owner.id !== id;
    };
    if (await isTaken()) return false;
    try {
      return await run();
    } catch (error) {
      // Another request has stored the address first.
      if (await isTaken()) return false;
      throw error;
    }
  }

  async verifyEmail(
    id: string,
    version: number,
    email: string,
  ): Promise<boolean> {
    return await this.#set([["email_verified", 1]], [
      ["id", id],
      ["version", version],
      ["email", email],
    ]);
  }

  async rehash(id: string, before: string, after: string): Promise<boolean> {
    return await this.#set([["password_hash", after]], [
      ["id", id],
      ["password_hash", before],
    ]);
  }

  async remove(id: string, version: number): Promise<boolean> {
    const { users, waysIn, members, columns } = this.#names;
    const rows = await this.#run(
      `DELETE FROM ${users} WHERE ${columns.id} = ? AND ${columns.version} = ?
      RETURNING ${columns.id}`,
      [id, version],
    );
    if (rows.length === 0) return false;
    // SQLite without foreign keys keeps the rows. Without their account they
    // are invalid.
    for (const table of [waysIn, members]) {
      await this.#run(`DELETE FROM ${table} WHERE user_id = ?`, [id]);
    }
    return true;
  }

  async addWayIn(way: WayIn, version: number): Promise<boolean> {
    const { users, waysIn, columns } = this.#names;
    const columnsToSet = [...WAY_COLUMNS, "version"];
    const rows = await this.#run(
      `INSERT INTO ${waysIn} (${columnsToSet})
      SELECT CAST(? AS TEXT), CAST(? AS TEXT), u.${columns.id},
        CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT),
        CAST(? AS BIGINT), CAST(? AS TEXT), u.${columns.version}
      FROM ${users} u WHERE u.${columns.id} = ? AND u.${columns.version} = ?
      ${this.#lock}
      ON CONFLICT (kind, id) DO UPDATE SET ${
        columnsToSet.map((name) => `${name} = excluded.${name}`)
      } WHERE ${waysIn}.version < COALESCE(
        (SELECT o.${columns.ways_after} FROM ${users} o
          WHERE o.${columns.id} = ${waysIn}.user_id),
        ${waysIn}.version + 1
      ) RETURNING id`,
      [
        way.kind,
        way.id,
        way.name,
        Math.floor(way.createdAt),
        way.usedAt && Math.floor(way.usedAt),
        way.counter,
        JSON.stringify(way.data),
        way.accountId,
        version,
      ],
    );
    return rows.length > 0;
  }

  async findWayIn(kind: string, id: string): Promise<FoundWayIn | null> {
    const [row] = await this.#run(
      `SELECT ${this.#select}, ${WAY_SELECT} ${this.#validWays}
      AND w.kind = ? AND w.id = ?`,
      [kind, id],
    );
    return row === undefined
      ? null
      : { way: toWayIn(row), account: toAccount(row) };
  }

  async waysIn(accountId: string, kind?: string): Promise<readonly WayIn[]> {
    const rows = await this.#run(
      `SELECT ${WAY_SELECT} ${this.#validWays} AND w.user_id = ?
      ${kind === undefined ? "" : "AND w.kind = ?"}
      ORDER BY w.created_at, w.id`,
      kind === undefined ? [accountId] : [accountId, kind],
    );
    return rows.map(toWayIn);
  }

  async useWayIn(
    kind: string,
    id: string,
    use: WayInUse,
    ifCounter: number,
  ): Promise<boolean> {
    const rows = await this.#run(
      `UPDATE ${this.#names.waysIn} SET used_at = ?, counter = ?, data = ?
      WHERE kind = ? AND id = ? AND counter = ? RETURNING id`,
      [
        Math.floor(use.usedAt),
        use.counter,
        JSON.stringify(use.data),
        kind,
        id,
        ifCounter,
      ],
    );
    return rows.length > 0;
  }

  async renameWayIn(
    { accountId, id, kind }: Pick<WayIn, "accountId" | "kind" | "id">,
    name: string,
  ): Promise<boolean> {
    const rows = await this.#run(
      `UPDATE ${this.#names.waysIn} SET name = ?
      WHERE kind = ? AND id = ? AND user_id = ? RETURNING id`,
      [name, kind, id, accountId],
    );
    return rows.length > 0;
  }

  async removeWayIn(
    { accountId, id, kind }: Pick<WayIn, "accountId" | "kind" | "id">,
  ): Promise<boolean> {
    const rows = await this.#run(
      `DELETE FROM ${this.#names.waysIn}
      WHERE kind = ? AND id = ? AND user_id = ? RETURNING id`,
      [kind, id, accountId],
    );
    return rows.length > 0;
  }

  async secret(name: string, value: string): Promise<string> {
    const { secrets } = this.#names;
    await this.#run(
      `INSERT INTO ${secrets} (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO NOTHING`,
      [name, value],
    );
    const sql = `SELECT value FROM ${secrets} WHERE name = ?`;
    const [row] = await this.#run(sql, [name]);
    return String(row!.value);
  }

  /** The ways in that a change of their account has not removed. */
  get #validWays(): string {
    const { users, waysIn, columns } = this.#names;
    return `FROM ${waysIn} w JOIN ${users} u ON u.${columns.id} = w.user_id
      WHERE w.version >= u.${columns.ways_after}`;
  }

  async #findBy(
    column: AccountColumn,
    value: string,
  ): Promise<StoredAccount | null> {
    const [row] = await this.#selectBy(column, value);
    return row === undefined ? null : toAccount(row);
  }

  async #selectBy(
    column: AccountColumn,
    value: string,
  ): Promise<readonly SQLRow[]> {
    const { users, columns } = this.#names;
    return await this.#run(
      `SELECT ${this.#select} FROM ${users} u WHERE u.${columns[column]} = ?`,
      [value],
    );
  }

  /**
   * Sets the columns that have a value, in the account that matches the
   * conditions.
   */
  async #set(
    values: readonly [AccountColumn, SQLValue | undefined][],
    where: readonly [AccountColumn, SQLValue][],
  ): Promise<boolean> {
    const { users, columns } = this.#names;
    const given = values
      .filter((pair): pair is [AccountColumn, SQLValue] =>
        pair[1] !== undefined
      );
    if (given.length === 0) return true;
    const equals = ([column]: readonly [AccountColumn, SQLValue]) =>
      `${columns[column]} = ?`;
    const rows = await this.#run(
      `UPDATE ${users} SET ${given.map(equals)}
      WHERE ${where.map(equals).join(" AND ")} RETURNING ${columns.id}`,
      [...given, ...where].map(([, value]) => value),
    );
    return rows.length > 0;
  }

  async #run(sql: string, params: SQLValue[]): Promise<readonly SQLRow[]> {
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

  #withPlaceholders(sql: string): string {
    if (this.#dialect === "sqlite") return sql;
    let count = 0;
    return sql.replaceAll("?", () => `$${++count}`);
  }
}
