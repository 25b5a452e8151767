import type {
  Passkey,
  PasskeyStore,
  PasskeyUse,
  StoredPasskey,
} from "@gatehouse/web/auth/passkey";
import type { Query, Row } from "./database.ts";

/** The columns, in the order of {@linkcode PasskeyTable.create}. */
const COLUMNS = `id, user_id, user_handle, public_key, counter, transports,
  backup_eligible, backed_up, aaguid, name, created_at, used_at`;

/** The passkeys of all users. */
export class PasskeyTable implements PasskeyStore {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Returns a passkey, with the present access version of its user. */
  async get(id: string): Promise<StoredPasskey | null> {
    const sql = `SELECT passkeys.*, users.access_version FROM passkeys
      JOIN users ON users.id = passkeys.user_id WHERE passkeys.id = ?`;
    const [row] = await this.#query(sql, [id]);
    return row === undefined
      ? null
      : { ...toPasskey(row), version: Number(row.access_version) };
  }

  async list(userId: string | number): Promise<Passkey[]> {
    const sql = `SELECT ${COLUMNS} FROM passkeys WHERE user_id = ?
      ORDER BY created_at`;
    return (await this.#query(sql, [userId])).map(toPasskey);
  }

  /**
   * Stores a passkey. The user must still exist, and their access must not have
   * been ended since the login.
   */
  create(passkey: Passkey, version: number | undefined): Promise<boolean> {
    return this.#changes(
      `INSERT INTO passkeys (${COLUMNS})
        SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM users
        WHERE id = ? AND access_version = ?
        ON CONFLICT DO NOTHING RETURNING id`,
      [
        passkey.id,
        passkey.userHandle,
        passkey.publicKey,
        passkey.counter,
        passkey.transports.join(" "),
        Number(passkey.backupEligible),
        Number(passkey.backedUp),
        passkey.aaguid,
        passkey.name,
        passkey.createdAt,
        passkey.usedAt,
        passkey.userId,
        version ?? null,
      ],
    );
  }

  update(id: string, use: PasskeyUse, ifCounter: number): Promise<boolean> {
    return this.#changes(
      `UPDATE passkeys SET backed_up = ?, counter = ?, used_at = ?
        WHERE id = ? AND counter = ? RETURNING id`,
      [Number(use.backedUp), use.counter, use.usedAt, id, ifCounter],
    );
  }

  rename(id: string, userId: string | number, name: string): Promise<boolean> {
    return this.#changes(
      "UPDATE passkeys SET name = ? WHERE id = ? AND user_id = ? RETURNING id",
      [name, id, userId],
    );
  }

  remove(id: string, userId: string | number): Promise<boolean> {
    return this.#changes(
      "DELETE FROM passkeys WHERE id = ? AND user_id = ? RETURNING id",
      [id, userId],
    );
  }

  /** Removes all passkeys of a user, and returns their number. */
  async deleteAll(userId: number): Promise<number> {
    const sql = "DELETE FROM passkeys WHERE user_id = ? RETURNING id";
    return (await this.#query(sql, [userId])).length;
  }

  async #changes(sql: string, params: Parameters<Query>[1]): Promise<boolean> {
    return (await this.#query(sql, params)).length === 1;
  }
}

function toPasskey(row: Row): Passkey {
  return {
    id: String(row.id),
    userId: Number(row.user_id),
    userHandle: String(row.user_handle),
    publicKey: String(row.public_key),
    counter: Number(row.counter),
    transports: String(row.transports).split(" ").filter(Boolean),
    backupEligible: Number(row.backup_eligible) === 1,
    backedUp: Number(row.backed_up) === 1,
    aaguid: String(row.aaguid),
    name: String(row.name),
    createdAt: Number(row.created_at),
    usedAt: row.used_at === null ? null : Number(row.used_at),
  };
}
