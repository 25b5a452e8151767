/** The invoices in SQLite. */
import type { DatabaseSync } from "node:sqlite";
import type { InferOutput } from "@gatehouse/web/data-schema";
import type { Invoice, NewInvoice } from "./routes.ts";

const PAGE = 100;
const MAX_INVOICES = 10_000;
/** The bytes of all receipts of a team. */
const MAX_RECEIPT_BYTES = 200_000_000;
const COLUMNS = "id, customer, cents, due, receipt IS NOT NULL AS has_receipt";

/** The invoices of teams. Each query names the team, so none leaves it. */
export class InvoiceStore {
  readonly #db: DatabaseSync;

  /** Creates the table, which refers to those of the accounts. */
  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec(`CREATE TABLE IF NOT EXISTS invoices (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES gatehouse_teams (id) ON DELETE CASCADE,
      created_by TEXT REFERENCES gatehouse_users (id) ON DELETE SET NULL,
      customer TEXT NOT NULL,
      cents INTEGER NOT NULL,
      due TEXT NOT NULL,
      receipt BLOB,
      receipt_type TEXT)`);
    db.exec(`CREATE INDEX IF NOT EXISTS invoices_team
      ON invoices (team_id, due, id)`);
    db.exec(`CREATE INDEX IF NOT EXISTS invoices_creator
      ON invoices (created_by)`);
  }

  /** Returns a page of invoices, the newest first. */
  list(team: string, page: number): InferOutput<typeof Invoice>[] {
    return this.#db.prepare(`SELECT ${COLUMNS} FROM invoices
      WHERE team_id = ? ORDER BY due DESC, id LIMIT ? OFFSET ?`)
      .all(team, PAGE, (page - 1) * PAGE).map(toInvoice);
  }

  /** Returns the invoice, or `null` if the team has no such one. */
  find(team: string, id: string): InferOutput<typeof Invoice> | null {
    const row = this.#db.prepare(`SELECT ${COLUMNS} FROM invoices
      WHERE team_id = ? AND id = ?`).get(team, id);
    return row === undefined ? null : toInvoice(row);
  }

  /** Stores an invoice, or returns `null` if the team has too many. */
  create(
    team: string,
    user: string,
    { customer, cents, due }: InferOutput<typeof NewInvoice>,
  ): InferOutput<typeof Invoice> | null {
    const row = this.#db.prepare(`INSERT INTO invoices
        (id, team_id, created_by, customer, cents, due)
      SELECT ?, ?, ?, ?, ?, ?
      WHERE (SELECT count(*) FROM invoices WHERE team_id = ?) < ?
      RETURNING ${COLUMNS}`).get(
      crypto.randomUUID(),
      team,
      user,
      customer,
      cents,
      due,
      team,
      MAX_INVOICES,
    );
    return row === undefined ? null : toInvoice(row);
  }

  /** Deletes the invoice and its receipt. Returns `false` if it is missing. */
  remove(team: string, id: string): boolean {
    return this.#db.prepare("DELETE FROM invoices WHERE team_id = ? AND id = ?")
      .run(team, id).changes === 1;
  }

  /** Stores or replaces the receipt, unless the team has no space for it. */
  attach(team: string, id: string, type: string, bytes: Uint8Array): boolean {
    return this.#db.prepare(`UPDATE invoices SET receipt = ?, receipt_type = ?
      WHERE team_id = ? AND id = ? AND ? >= (SELECT total(length(receipt))
        FROM invoices WHERE team_id = ? AND id <> ?)`).run(
      bytes,
      type,
      team,
      id,
      MAX_RECEIPT_BYTES - bytes.length,
      team,
      id,
    ).changes === 1;
  }

  /** Returns the receipt, or `null` if it is missing. */
  receipt(team: string, id: string) {
    const row = this.#db.prepare(`SELECT receipt, receipt_type FROM invoices
      WHERE team_id = ? AND id = ? AND receipt IS NOT NULL`).get(team, id);
    if (!(row?.receipt instanceof Uint8Array)) return null;
    return {
      bytes: new Uint8Array(row.receipt),
      type: String(row.receipt_type),
    };
  }
}

function toInvoice(row: Record<string, unknown>): InferOutput<typeof Invoice> {
  return {
    id: String(row.id),
    customer: String(row.customer),
    cents: Number(row.cents),
    due: String(row.due),
    hasReceipt: row.has_receipt === 1,
  };
}
