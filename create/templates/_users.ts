/** The users of the template "login", with their passwords. */
export const USERS = `import {
  createPasswordQueue,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web";
import type { PasswordPepper } from "@gatehouse/web/auth/password";
import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";

/** A user, without their password hash. */
export interface User {
  readonly id: number;
  readonly email: string;
}

/** The users in the database. */
export class Users {
  readonly #query: SQLQuery;
  readonly #peppers: readonly PasswordPepper[];
  /** Registrations wait here, so that they do not delay logins. */
  readonly #queue = createPasswordQueue({ running: 1, waiting: 16 });

  constructor(query: SQLQuery, pepper: string | undefined) {
    if (!pepper) {
      throw new Error("Cannot start: PEPPER is missing, see .env.example");
    }
    const key = Uint8Array.from(atob(pepper), (char) => char.charCodeAt(0));
    this.#query = query;
    // To replace the pepper, put the new one first and keep the old one.
    this.#peppers = [{ id: "1", key }];
  }

  /** Finds a user by id. */
  async find(id: string | number): Promise<User | null> {
    const sql = "SELECT id, email FROM users WHERE id = ?";
    const [row] = await this.#query(sql, [id]);
    return row === undefined ? null : toUser(row);
  }

  /** Returns the user with this address, if the password is correct. */
  async verify(email: string, password: string): Promise<User | null> {
    const sql = "SELECT id, email, hash FROM users WHERE email = ?";
    const [row] = await this.#query(sql, [email]);
    // An unknown user takes as long as a wrong password, and fails.
    const hash = row === undefined ? null : String(row.hash);
    const { ok } = await verifyPassword(hash, password, {
      peppers: this.#peppers,
      saveHash: (newHash, oldHash) => this.#replaceHash(newHash, oldHash),
    });
    return ok && row !== undefined ? toUser(row) : null;
  }

  /** Adds a user. Returns \`null\` if the address has an account. */
  async create(email: string, password: string): Promise<User | null> {
    const hash = await hashPassword(password, {
      peppers: this.#peppers,
      queue: this.#queue,
    });
    const sql = \`INSERT INTO users (email, hash) VALUES (?, ?)
      ON CONFLICT DO NOTHING RETURNING id, email\`;
    const [row] = await this.#query(sql, [email, hash]);
    return row === undefined ? null : toUser(row);
  }

  /** Replaces a hash whose cost or pepper is outdated. */
  async #replaceHash(newHash: string, oldHash: string): Promise<void> {
    const sql = "UPDATE users SET hash = ? WHERE hash = ?";
    await this.#query(sql, [newHash, oldHash]);
  }
}

function toUser({ id, email }: SQLRow): User {
  return { id: Number(id), email: String(email) };
}
`;
