import type { SQLRow, SQLValue } from "../../session/stores/sql.ts";
import { readCursor } from "./cursor.ts";
import type { SQLDatabase } from "./_sql_database.ts";
import {
  type AuditEntry,
  type AuditListOptions,
  type AuditPage,
  type AuditStore,
  toAuditPage,
} from "./audit.ts";

/** The audit log of a store of accounts in a SQL database. */
export class SQLAuditStore implements AuditStore {
  readonly #db: SQLDatabase;
  readonly #table: string;

  constructor(db: SQLDatabase) {
    this.#db = db;
    this.#table = db.names.audit;
  }

  async add(entry: AuditEntry): Promise<void> {
    const { action, actorId, at, id, reason, userId } = entry;
    await this.#db.run(
      `INSERT INTO ${this.#table} (id, at, actor_id, user_id, action, reason)
      VALUES (?, ?, ?, ?, ?, ?)`,
      [id, Math.floor(at), actorId, userId, action, reason],
    );
  }

  async list(options: AuditListOptions = {}): Promise<AuditPage> {
    const cursor = readCursor(options);
    if (cursor === null) return toAuditPage([], 1);
    const { after, limit } = cursor;
    const { action, of } = options;
    const conditions: string[] = [];
    const params: SQLValue[] = [];
    if (after !== undefined) {
      conditions.push("(at < ? OR at = ? AND id < ?)");
      params.push(after.createdAt, after.createdAt, after.id);
    }
    if (action !== undefined) {
      conditions.push("action = ?");
      params.push(action);
    }
    if (of !== undefined) {
      conditions.push("(user_id = ? OR actor_id = ?)");
      params.push(of, of);
    }
    const where = conditions.length === 0
      ? ""
      : `WHERE ${conditions.join(" AND ")}`;
    const rows = await this.#db.run(
      `SELECT id, at, actor_id, user_id, action, reason FROM ${this.#table}
      ${where} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`,
      params,
    );
    return toAuditPage(rows.map(toEntry), limit);
  }

  async forget(userId: string): Promise<void> {
    const sql = `UPDATE ${this.#table} SET reason = '' WHERE user_id = ?`;
    await this.#db.run(sql, [userId]);
  }

  async prune(before: number): Promise<void> {
    const sql = `DELETE FROM ${this.#table} WHERE at < ?`;
    await this.#db.run(sql, [Math.floor(before)]);
  }
}

function toEntry(row: SQLRow): AuditEntry {
  return {
    id: String(row.id),
    at: Number(row.at),
    actorId: String(row.actor_id),
    userId: String(row.user_id),
    action: String(row.action),
    reason: String(row.reason),
  };
}
