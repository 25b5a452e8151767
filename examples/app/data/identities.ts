import type { Query } from "./database.ts";

/** Who somebody is at an identity provider. */
export interface Identity {
  /** The identity provider. */
  readonly issuer: string;
  /** Who somebody is there: stable and never reassigned. */
  readonly subject: string;
}

/**
 * Which external login belongs to which user. The key is (issuer, subject),
 * never an e-mail address, which can change hands.
 */
export class Identities {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** The id of the user that an external login belongs to. */
  async findUserId({ issuer, subject }: Identity): Promise<number | null> {
    const [row] = await this.#query(
      "SELECT user_id FROM identities WHERE issuer = ? AND subject = ?",
      [issuer, subject],
    );
    return row === undefined ? null : Number(row.user_id);
  }

  /** The names of the external logins that a user has linked. */
  async list(userId: number): Promise<string[]> {
    const sql = "SELECT DISTINCT login FROM identities WHERE user_id = ?";
    const rows = await this.#query(sql, [userId]);
    return rows.map((row) => String(row.login));
  }

  /** Links an external login to a user: `false` where it is linked already. */
  async link(
    { issuer, subject }: Identity,
    userId: number,
    login: string,
  ): Promise<boolean> {
    const rows = await this.#query(
      `INSERT INTO identities (issuer, subject, user_id, login, created_at)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (issuer, subject) DO NOTHING
        RETURNING user_id`,
      [issuer, subject, userId, login, Date.now()],
    );
    return rows.length === 1;
  }

  /**
   * Unlinks the logins that a user has at a provider, unless nothing would be
   * left to log in with. One statement decides, so that two requests at once
   * cannot take the last two.
   */
  async unlink(login: string, userId: number): Promise<boolean> {
    const rows = await this.#query(
      `DELETE FROM identities WHERE login = ? AND user_id = ? AND (
          EXISTS (SELECT 1 FROM users WHERE id = ? AND password_hash <> '')
          OR EXISTS (
            SELECT 1 FROM identities WHERE login <> ? AND user_id = ?
          )
        ) RETURNING user_id`,
      [login, userId, userId, login, userId],
    );
    return rows.length > 0;
  }
}
