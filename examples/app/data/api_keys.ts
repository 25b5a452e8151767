import { createToken, hashToken } from "@gatehouse/web/auth";
import type { Query } from "./database.ts";
import type { User } from "./users.ts";

/** The most keys, and the most access tokens, that a user can have. */
export const MOST_PER_USER = 20;

/** An API key as its owner sees it later. */
export interface APIKey {
  readonly id: number;
  /** The name that its owner gave it. */
  readonly label: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A key or a token that was just created. */
export interface NewSecret {
  readonly id: number;
  /** The secret, which is shown once. */
  readonly secret: string;
}

/** API keys, stored as hashes: a leaked database contains no usable keys. */
export class APIKeys {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /**
   * Creates a key, which is shown once.
   *
   * @returns The key, or `null` if the user has too many, or access was ended.
   */
  async create(
    { id, accessVersion }: User,
    label: string,
  ): Promise<NewSecret | null> {
    const key = createToken({ prefix: "board_key" });
    const rows = await this.#query(
      `INSERT INTO api_keys (user_id, label, key_hash, created_at)
        SELECT id, ?, ?, ? FROM users
        WHERE id = ? AND access_version = ?
        AND (SELECT COUNT(*) FROM api_keys WHERE user_id = users.id) < ?
        RETURNING id`,
      [
        label,
        await hashToken(key),
        Date.now(),
        id,
        accessVersion,
        MOST_PER_USER,
      ],
    );
    const [row] = rows;
    return row === undefined ? null : { id: Number(row.id), secret: key };
  }

  /** Returns the keys of a user, the newest first. */
  async list(userId: number): Promise<APIKey[]> {
    const rows = await this.#query(
      `SELECT id, label, created_at FROM api_keys WHERE user_id = ?
        ORDER BY id DESC`,
      [userId],
    );
    return rows.map((row) => ({
      id: Number(row.id),
      label: String(row.label),
      createdAt: Number(row.created_at),
    }));
  }

  /** Revokes a key of a user. */
  async revoke(id: number, userId: number): Promise<void> {
    const sql = "DELETE FROM api_keys WHERE id = ? AND user_id = ?";
    await this.#query(sql, [id, userId]);
  }

  /**
   * Revokes all keys of a user.
   *
   * @returns The number of keys that were revoked.
   */
  async revokeAll(userId: number): Promise<number> {
    const sql = "DELETE FROM api_keys WHERE user_id = ? RETURNING id";
    return (await this.#query(sql, [userId])).length;
  }

  /** Finds the owner and the label of a key. */
  async verify(
    key: string,
  ): Promise<{ readonly userId: number; readonly label: string } | null> {
    const [row] = await this.#query(
      `SELECT user_id, label FROM api_keys
        JOIN users ON users.id = user_id WHERE key_hash = ?`,
      [await hashToken(key)],
    );
    return row === undefined
      ? null
      : { userId: Number(row.user_id), label: String(row.label) };
  }
}
