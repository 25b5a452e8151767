import type { Query, Row } from "./database.ts";
import type { Identity } from "./identities.ts";

/** The roles of users, from the fewest to the most permissions. */
export const ROLES = ["user", "editor", "admin"] as const;

/** One of the roles. */
export type Role = typeof ROLES[number];

/** A user, without their password hash. */
export interface User {
  readonly id: number;
  /** `null` if an external login has no verified address. */
  readonly email: string | null;
  readonly name: string;
  readonly role: Role;
  readonly avatarURL: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** `true` if the user can log in with a password. */
  readonly hasPassword: boolean;
  /**
   * Counts how often all access to the account was ended, for example by a new
   * password. Sessions, links, codes and remembered browsers hold the number they
   * began with, and end with it. Statements that change the account compare it.
   */
  readonly accessVersion: number;
  /** `true` if the user has proved that the address is theirs. */
  readonly emailVerified: boolean;
}

/** A user with their password hash. */
export interface UserLogin {
  readonly user: User;
  /** Empty for users of external login. */
  readonly passwordHash: string;
}

/** The data of a new user. */
export interface NewUser {
  readonly email: string | null;
  readonly name: string;
  /** Empty for users of external login (spec 2.4). */
  readonly passwordHash: string;
  readonly role?: Role;
  readonly avatarURL?: string | null;
  /** @default {false} */
  readonly emailVerified?: boolean;
}

/** The part of a list that a page shows. */
export interface ListOptions {
  /**
   * The most users to return.
   *
   * @default {50}
   */
  readonly limit?: number;
  /**
   * The number of users to skip.
   *
   * @default {0}
   */
  readonly offset?: number;
}

/** The users of the application. */
export class Users {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Finds a user by id. */
  async find(id: number): Promise<User | null> {
    return await this.#one("SELECT * FROM users WHERE id = ?", id);
  }

  /** Finds a user by address, whatever its case. */
  async findByEmail(email: string): Promise<User | null> {
    const sql = "SELECT * FROM users WHERE email = ?";
    return await this.#one(sql, canonicalEmail(email));
  }

  /**
   * Finds a user by address, with the stored hash of the password. It is one
   * query for known and unknown users alike: both take the same time.
   */
  async findLogin(email: string): Promise<UserLogin | null> {
    const sql = "SELECT * FROM users WHERE email = ?";
    const [row] = await this.#query(sql, [canonicalEmail(email)]);
    return row === undefined
      ? null
      : { user: toUser(row), passwordHash: String(row.password_hash) };
  }

  /** Finds the user that an external login belongs to. */
  async findByIdentity({ issuer, subject }: Identity): Promise<User | null> {
    const [row] = await this.#query(
      `SELECT users.* FROM users JOIN identities ON user_id = users.id
        WHERE issuer = ? AND subject = ?`,
      [issuer, subject],
    );
    return row === undefined ? null : toUser(row);
  }

  /** Returns some users in the order of their names. */
  async list({ limit = 50, offset = 0 }: ListOptions = {}): Promise<User[]> {
    const sql = "SELECT * FROM users ORDER BY name, id LIMIT ? OFFSET ?";
    return (await this.#query(sql, [limit, offset])).map(toUser);
  }

  /** Returns the number of users. */
  async count(): Promise<number> {
    const [row] = await this.#query("SELECT COUNT(*) AS n FROM users", []);
    return Number(row.n);
  }

  /**
   * Adds a user: `null` if the address is taken. The database decides, so
   * that two registrations at once cannot both succeed.
   */
  async create(user: NewUser): Promise<User | null> {
    const { email, name, passwordHash, role = "user", avatarURL = null } = user;
    const { emailVerified = false } = user;
    const [row] = await this.#query(
      `INSERT INTO users
        (email, password_hash, name, role, avatar_url, created_at,
          email_verified)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (email) DO NOTHING RETURNING *`,
      [
        email === null ? null : canonicalEmail(email),
        passwordHash,
        name,
        role,
        avatarURL,
        Date.now(),
        Number(emailVerified),
      ],
    );
    return row === undefined ? null : toUser(row);
  }

  /** Changes a user's name. */
  async rename(id: number, name: string): Promise<void> {
    await this.#query("UPDATE users SET name = ? WHERE id = ?", [name, id]);
  }

  /**
   * Changes a user's role, on behalf of an admin: `false` if they are not an admin
   * any more. One statement decides, so that two admins who demote each other
   * leave one admin.
   */
  async setRole(id: number, role: Role, adminId: number): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE users SET role = ? WHERE id = ? AND EXISTS (
          SELECT 1 FROM users WHERE id = ? AND role = 'admin'
        ) RETURNING id`,
      [role, id, adminId],
    );
    return rows.length === 1;
  }

  /**
   * Stores a new hash of the same password, unless the password was changed
   * meanwhile: a slower request must not undo that.
   */
  async rehashPassword(
    id: number,
    before: string,
    after: string,
  ): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?
        RETURNING id`,
      [after, id, before],
    );
    return rows.length === 1;
  }

  /**
   * Changes a password and ends all access, unless the password was changed or
   * access was ended meanwhile. Users without a password have an empty hash.
   *
   * @returns The new access version, or `null` if nothing was changed.
   */
  async changePassword(
    user: User,
    before: string,
    after: string,
  ): Promise<number | null> {
    return await this.#endAccess("password_hash = ?", [after], user, before);
  }

  /**
   * Sets a new password, whatever the old one was, and ends all access, unless
   * access was ended or the address changed since the user was read.
   *
   * @returns The new access version, or `null` if nothing was changed.
   */
  async resetPassword(user: User, hash: string): Promise<number | null> {
    return await this.#endAccess("password_hash = ?", [hash], user);
  }

  /** Marks an address as verified, unless it or the access version changed. */
  async verifyEmail(
    { id, accessVersion }: Pick<User, "id" | "accessVersion">,
    email: string,
  ): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE users SET email_verified = 1
        WHERE id = ? AND email = ? AND access_version = ? RETURNING id`,
      [id, canonicalEmail(email), accessVersion],
    );
    return rows.length === 1;
  }

  /**
   * Changes the address of a user to one that they have proved, and ends all
   * access.
   *
   * @returns The new access version; `null` if the address belongs to another
   * account, or access was ended since the user was read.
   */
  async changeEmail(
    { id, accessVersion }: User,
    email: string,
  ): Promise<number | null> {
    const [row] = await this.#query(
      `UPDATE users SET email = ?, email_verified = 1,
          access_version = access_version + 1
        WHERE id = ? AND access_version = ?
        AND NOT EXISTS (SELECT 1 FROM users WHERE email = ? AND id <> ?)
        RETURNING access_version`,
      [canonicalEmail(email), id, accessVersion, canonicalEmail(email), id],
    );
    return row === undefined ? null : Number(row.access_version);
  }

  /** Takes an address from another account that has never proved it. */
  async releaseEmail(email: string, id: number): Promise<void> {
    await this.#query(
      `UPDATE users SET email = NULL, access_version = access_version + 1
        WHERE email = ? AND id <> ? AND email_verified = 0`,
      [canonicalEmail(email), id],
    );
  }

  /**
   * Removes the address of a user, and ends all access.
   *
   * @returns The new access version; `null` if access was ended, or the address
   * changed, since the user was read.
   */
  async removeEmail(user: User): Promise<number | null> {
    const change = "email = NULL, email_verified = 0";
    return await this.#endAccess(change, [], user);
  }

  /**
   * Ends all access: every session of the user is logged out.
   *
   * @returns The new access version; `null` if access was ended, or the address
   * changed, since the user was read.
   */
  async endAccess(user: User): Promise<number | null> {
    return await this.#endAccess("id = id", [], user);
  }

  /** Returns the present access version of a user; `null` for an unknown one. */
  async accessVersion(id: number): Promise<number | null> {
    const sql = "SELECT access_version FROM users WHERE id = ?";
    const [row] = await this.#query(sql, [id]);
    return row === undefined ? null : Number(row.access_version);
  }

  /** Returns `true` if access was not ended since the user was read. */
  async hasAccess({ id, accessVersion }: User): Promise<boolean> {
    return await this.accessVersion(id) === accessVersion;
  }

  async #endAccess(
    change: string,
    params: readonly string[],
    { id, accessVersion, email }: User,
    before: string | null = null,
  ): Promise<number | null> {
    const [row] = await this.#query(
      `UPDATE users SET access_version = access_version + 1, ${change}
        WHERE id = ? AND access_version = ? AND email IS ?
        AND password_hash = COALESCE(?, password_hash)
        RETURNING access_version`,
      [...params, id, accessVersion, email, before],
    );
    return row === undefined ? null : Number(row.access_version);
  }

  /** Removes a user and everything that belongs to them. */
  async remove(id: number): Promise<void> {
    await this.#query("DELETE FROM users WHERE id = ?", [id]);
  }

  async #one(sql: string, param: string | number): Promise<User | null> {
    const [row] = await this.#query(sql, [param]);
    return row === undefined ? null : toUser(row);
  }
}

function toUser(row: Row): User {
  return {
    id: Number(row.id),
    email: row.email === null ? null : String(row.email),
    name: String(row.name),
    role: ROLES.find((role) => role === row.role) ?? "user",
    avatarURL: row.avatar_url === null ? null : String(row.avatar_url),
    createdAt: Number(row.created_at),
    hasPassword: row.password_hash !== "",
    accessVersion: Number(row.access_version),
    emailVerified: Number(row.email_verified) === 1,
  };
}

/**
 * Returns one spelling for each mailbox. Unicode is normalized, so that similar
 * spellings do not make two accounts of one address.
 */
function canonicalEmail(email: string): string {
  return email.normalize("NFKC").trim().toLowerCase();
}
