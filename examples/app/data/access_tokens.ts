import { createToken, hashToken } from "@gatehouse/web/auth";
import { MOST_PER_USER, type NewSecret } from "./api_keys.ts";
import type { Query } from "./database.ts";
import type { User } from "./users.ts";

/** An access token as its owner sees it later. */
export interface AccessToken {
  readonly id: number;
  /** The name that its owner gave it. */
  readonly label: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Access tokens, stored as hashes. */
export class AccessTokens {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /**
   * Creates a token, which is shown once. The statement checks the access
   * version that the guard saw: a token must not survive a change of password
   * that happens between the guard and the insert.
   *
   * @returns The token, or `null` if the user has too many, or access was ended.
   */
  async create(
    { id, accessVersion }: User,
    label: string,
    expiresAt: number,
  ): Promise<NewSecret | null> {
    const token = createToken({ prefix: "board_token" });
    const now = Date.now();
    await this.#query(
      "DELETE FROM access_tokens WHERE user_id = ? AND expires_at <= ?",
      [id, now],
    );
    const rows = await this.#query(
      `INSERT INTO access_tokens
        (user_id, label, token_hash, expires_at, created_at)
        SELECT id, ?, ?, ?, ? FROM users
        WHERE id = ? AND access_version = ?
        AND (SELECT COUNT(*) FROM access_tokens WHERE user_id = users.id) < ?
        RETURNING id`,
      [
        label,
        await hashToken(token),
        expiresAt,
        now,
        id,
        accessVersion,
        MOST_PER_USER,
      ],
    );
    const [row] = rows;
    return row === undefined ? null : { id: Number(row.id), secret: token };
  }

  /** Returns the valid tokens of a user, the newest first. */
  async list(userId: number): Promise<AccessToken[]> {
    const rows = await this.#query(
      `SELECT id, label, created_at, expires_at FROM access_tokens
        WHERE user_id = ? AND expires_at > ? ORDER BY id DESC`,
      [userId, Date.now()],
    );
    return rows.map((row) => ({
      id: Number(row.id),
      label: String(row.label),
      createdAt: Number(row.created_at),
      expiresAt: Number(row.expires_at),
    }));
  }

  /** Revokes a token of a user. */
  async revoke(id: number, userId: number): Promise<void> {
    const sql = "DELETE FROM access_tokens WHERE id = ? AND user_id = ?";
    await this.#query(sql, [id, userId]);
  }

  /** Revokes all tokens of a user, for example when the password changes. */
  async revokeAll(userId: number): Promise<void> {
    const sql = "DELETE FROM access_tokens WHERE user_id = ?";
    await this.#query(sql, [userId]);
  }

  /** Returns the id of a token's user, or `null` if the token is not valid. */
  async verify(token: string): Promise<number | null> {
    const [row] = await this.#query(
      `SELECT user_id FROM access_tokens
        WHERE token_hash = ? AND expires_at > ?`,
      [await hashToken(token), Date.now()],
    );
    return row === undefined ? null : Number(row.user_id);
  }
}
