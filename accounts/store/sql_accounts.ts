import type { SessionStore } from "../../session/mod.ts";
import type { SQLRow, SQLValue } from "../../session/stores/sql.ts";
import type { AuditStore } from "./audit.ts";
import { listAccounts } from "./_sql_list.ts";
import { toAccount } from "./_rows.ts";
import { retry } from "./retry.ts";
import type { SQLDatabase } from "./_sql_database.ts";
import { type AccountColumn, COLUMNS, type TableNames } from "./_tables.ts";
import { SQLAuditStore } from "./sql_audit.ts";
import { SQLTeamStore } from "./sql_teams.ts";
import { SQLWaysIn } from "./sql_ways_in.ts";
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
} from "./store.ts";
import type { TeamStore } from "./teams.ts";

/** A store of accounts in a SQL database. */
export class SQLAccountStore implements AccountStore {
  readonly values: SessionStore;
  readonly teams: TeamStore;
  readonly audit: AuditStore;
  readonly #db: SQLDatabase;
  readonly #names: TableNames;
  readonly #ways: SQLWaysIn;

  constructor(db: SQLDatabase) {
    this.#db = db;
    this.#names = db.names;
    this.#ways = new SQLWaysIn(db);
    this.values = db.values;
    this.audit = new SQLAuditStore(db);
    this.teams = new SQLTeamStore(db);
  }

  migrate(): Promise<void> {
    return this.#db.migrate();
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

  list(options?: AccountListOptions): Promise<AccountPage> {
    return listAccounts(this.#db, options);
  }

  async due(now: number): Promise<readonly StoredAccount[]> {
    const { users, columns } = this.#names;
    const rows = await this.#db.run(
      `SELECT ${this.#db.accountColumns} FROM ${users} u WHERE u.${columns.delete_at} <= ?
      ORDER BY u.${columns.delete_at} LIMIT 100`,
      [Math.floor(now)],
    );
    return rows.map(toAccount);
  }

  async create(account: NewAccount): Promise<StoredAccount | null> {
    const { users, columns } = this.#names;
    const { disabled = null } = account;
    const until = disabled?.until ?? null;
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
      ["disabled_reason", disabled && disabled.reason],
      ["disabled_until", until && Math.floor(until)],
    ];
    const rows = await this.#db.run(
      `INSERT INTO ${users} (${values.map(([column]) => columns[column])})
      VALUES (${values.map(() => "?")})
      ON CONFLICT (${columns.email}) DO NOTHING
      RETURNING ${COLUMNS.map((column) => `${columns[column]} AS ${column}`)}`,
      values.map(([, value]) => value),
    );
    return rows.length === 0 ? null : toAccount(rows[0]!);
  }

  async update(id: string, details: AccountDetails): Promise<boolean> {
    const { name, role, language, fields, deleteAt } = details;
    const values: [AccountColumn, SQLValue | undefined][] = [
      ["name", name],
      ["role", role],
      ["language", language],
      ["delete_at", deleteAt && Math.floor(deleteAt)],
    ];
    if (fields === undefined) return await this.#set(values, [["id", id]]);
    // The user and the application change different fields of one column.
    return await retry(async () => {
      const [row] = await this.#selectBy("id", id);
      if (row === undefined) return false;
      const before = String(row.fields);
      const after = JSON.stringify({ ...toAccount(row).fields, ...fields });
      const isSet = await this.#set([...values, ["fields", after]], [
        ["id", id],
        ["fields", before],
      ]);
      return isSet || undefined;
    });
  }

  async setRole(id: string, role: string, keep: string): Promise<boolean> {
    const { users, columns: c } = this.#names;
    // Two administrators who lose the role at once would both see the other one
    // without this lock.
    const lock = this.#db.lock("FOR UPDATE OF u");
    return await this.#db.changes(
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
      await this.#db.run(
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
    const rows = await this.#db.run(
      `DELETE FROM ${users} WHERE ${columns.id} = ? AND ${columns.version} = ?
      RETURNING ${columns.id}`,
      [id, version],
    );
    if (rows.length === 0) return false;
    // SQLite without foreign keys keeps the rows. Without their account they
    // are invalid.
    for (const table of [waysIn, members]) {
      await this.#db.run(`DELETE FROM ${table} WHERE user_id = ?`, [id]);
    }
    return true;
  }

  addWayIn(way: WayIn, version: number): Promise<boolean> {
    return this.#ways.add(way, version);
  }

  findWayIn(kind: string, id: string): Promise<FoundWayIn | null> {
    return this.#ways.find(kind, id);
  }

  waysIn(accountId: string, kind?: string): Promise<readonly WayIn[]> {
    return this.#ways.list(accountId, kind);
  }

  useWayIn(
    ...values: Parameters<AccountStore["useWayIn"]>
  ): Promise<boolean> {
    return this.#ways.use(...values);
  }

  renameWayIn(
    ...values: Parameters<AccountStore["renameWayIn"]>
  ): Promise<boolean> {
    return this.#ways.rename(...values);
  }

  removeWayIn(
    ...values: Parameters<AccountStore["removeWayIn"]>
  ): Promise<boolean> {
    return this.#ways.remove(...values);
  }

  async secret(name: string, value: string): Promise<string> {
    const { secrets } = this.#names;
    await this.#db.run(
      `INSERT INTO ${secrets} (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO NOTHING`,
      [name, value],
    );
    const sql = `SELECT value FROM ${secrets} WHERE name = ?`;
    const [row] = await this.#db.run(sql, [name]);
    return String(row!.value);
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
    return await this.#db.run(
      `SELECT ${this.#db.accountColumns} FROM ${users} u WHERE u.${
        columns[column]
      } = ?`,
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
    return await this.#db.changes(
      `UPDATE ${users} SET ${given.map(equals)}
      WHERE ${where.map(equals).join(" AND ")} RETURNING ${columns.id}`,
      [...given, ...where].map(([, value]) => value),
    );
  }
}
