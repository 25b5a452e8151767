import type { Query, Row } from "./database.ts";
import type { User } from "./users.ts";

/** A person's identity at an identity provider. */
export interface Identity {
  /** The identity provider. */
  readonly issuer: string;
  /** The person's ID there: stable and never reassigned. */
  readonly subject: string;
}

/** An identity that is about to be linked. */
export interface NewIdentity extends Identity {
  /** The name of the external login, such as `"code-host"`. */
  readonly login: string;
  /** The email address, if the provider has verified it. */
  readonly email: string | null;
}

/** An identity as its owner sees it. */
export interface LinkedIdentity {
  readonly id: number;
  /** The name of the external login. */
  readonly login: string;
  /** The verified email address at the provider, or else the subject. */
  readonly account: string;
  /** Epoch milliseconds. */
  readonly linkedAt: number;
}

/**
 * The external logins of users. The key is (issuer, subject), never an email
 * address, which can change hands.
 */
export class Identities {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Returns the id of the user that an external login belongs to. */
  async findUserId({ issuer, subject }: Identity): Promise<number | null> {
    const [row] = await this.#query(
      "SELECT user_id FROM identities WHERE issuer = ? AND subject = ?",
      [issuer, subject],
    );
    return row === undefined ? null : Number(row.user_id);
  }

  /** Returns the identities that a user has linked, the oldest first. */
  async list(userId: number): Promise<LinkedIdentity[]> {
    const rows = await this.#query(
      `SELECT rowid AS id, * FROM identities WHERE user_id = ?
        ORDER BY created_at, rowid`,
      [userId],
    );
    return rows.map(toLinkedIdentity);
  }

  /**
   * Links an external login to a user.
   *
   * @returns `false` if it is linked already, or access was ended meanwhile.
   */
  async link(
    { issuer, subject, login, email }: NewIdentity,
    { id, accessVersion }: User,
  ): Promise<boolean> {
    const rows = await this.#query(
      `INSERT INTO identities
        (issuer, subject, user_id, login, email, created_at)
        SELECT ?, ?, id, ?, ?, ? FROM users
        WHERE id = ? AND access_version = ?
        ON CONFLICT (issuer, subject) DO NOTHING
        RETURNING user_id`,
      [issuer, subject, login, email, Date.now(), id, accessVersion],
    );
    return rows.length === 1;
  }

  /**
   * Unlinks an identity of a user, unless nothing would be left to log in with.
   * One statement decides, so that two requests at once cannot remove the last
   * two.
   */
  async unlink(id: number, userId: number): Promise<boolean> {
    const rows = await this.#query(
      `DELETE FROM identities WHERE rowid = ? AND user_id = ? AND (
          EXISTS (SELECT 1 FROM users WHERE id = ? AND password_hash <> '')
          OR EXISTS (
            SELECT 1 FROM identities WHERE rowid <> ? AND user_id = ?
          )
        ) RETURNING user_id`,
      [id, userId, userId, id, userId],
    );
    return rows.length > 0;
  }

  /** Removes an identity of a user, even if it is the only way to log in. */
  async remove({ issuer, subject }: Identity, userId: number): Promise<void> {
    await this.#query(
      "DELETE FROM identities WHERE issuer = ? AND subject = ? AND user_id = ?",
      [issuer, subject, userId],
    );
  }

  /** Unlinks all identities of a user, who has a password, and returns them. */
  async unlinkAll(userId: number): Promise<LinkedIdentity[]> {
    const rows = await this.#query(
      "DELETE FROM identities WHERE user_id = ? RETURNING rowid AS id, *",
      [userId],
    );
    return rows.map(toLinkedIdentity);
  }
}

/** Returns what an identity is shown as: the verified email, or the subject. */
export function accountOf(
  { subject, email }: Pick<NewIdentity, "subject" | "email">,
): string {
  return email ?? `ID ${subject}`;
}

function toLinkedIdentity(row: Row): LinkedIdentity {
  return {
    id: Number(row.id),
    login: String(row.login),
    account: accountOf({
      subject: String(row.subject),
      email: row.email === null ? null : String(row.email),
    }),
    linkedAt: Number(row.created_at),
  };
}
