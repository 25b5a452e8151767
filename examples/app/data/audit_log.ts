import type { SecurityEvent } from "@gatehouse/web/middleware";
import type { Query, Row } from "./database.ts";

/** A security event as the audit log keeps it. */
export interface AuditRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly action: string;
  readonly outcome: string;
  readonly reason: string | null;
  /** The name of the user who acted, if they still have an account. */
  readonly user: string | null;
  /** The name of the user who was changed. */
  readonly target: string | null;
  readonly address: string | null;
}

/** The time for which records are kept: addresses are personal data. */
const LIFETIME = 90 * 24 * 60 * 60 * 1000;

/** The logins, failures and changes of accounts of the last 90 days. */
export class AuditLog {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Adds an event, and removes old ones. */
  async add(document: SecurityEvent): Promise<void> {
    const { client, event, user } = document;
    // Each visitor of a page for users would fill the log.
    if (event.reason === "unauthenticated") return;
    const time = Date.parse(document["@timestamp"]);
    await this.#query(
      `INSERT INTO security_events
        (time, action, outcome, reason, user_id, target_id, address)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [
        time,
        event.action,
        event.outcome,
        event.reason ?? null,
        user?.id ?? null,
        user?.target?.id ?? null,
        client?.ip ?? null,
      ],
    );
    const sql = "DELETE FROM security_events WHERE time < ?";
    await this.#query(sql, [time - LIFETIME]);
  }

  /** Returns the latest events, the newest first. */
  async list(): Promise<AuditRecord[]> {
    const rows = await this.#query(
      `SELECT e.*, u.name AS user, t.name AS target FROM security_events e
        LEFT JOIN users u ON u.id = e.user_id
        LEFT JOIN users t ON t.id = e.target_id
        ORDER BY e.time DESC, e.id DESC LIMIT 100`,
      [],
    );
    return rows.map(toRecord);
  }
}

function toRecord(row: Row): AuditRecord {
  const text = (value: unknown) => value === null ? null : String(value);
  return {
    time: Number(row.time),
    action: String(row.action),
    outcome: String(row.outcome),
    reason: text(row.reason),
    user: text(row.user),
    target: text(row.target),
    address: text(row.address),
  };
}
