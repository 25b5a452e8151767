import type { DemoAccount } from "./seed.ts";
import type { Query } from "./database.ts";
import { ROLES } from "./users.ts";

/**
 * The passwords of the demo accounts, which the login page shows on the computer
 * that runs the application. All other passwords are stored as hashes only.
 */
export class DemoAccounts {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Stores the passwords of new demo accounts. */
  async remember(accounts: readonly DemoAccount[]): Promise<void> {
    for (const { email, password } of accounts) {
      await this.#query(
        `INSERT INTO demo_accounts (user_id, password, password_hash)
          SELECT id, ?, password_hash FROM users WHERE email = ?`,
        [password, email],
      );
    }
  }

  /** Returns the accounts whose password was not changed. */
  async list(): Promise<DemoAccount[]> {
    const rows = await this.#query(
      `SELECT users.email, users.role, demo_accounts.password
        FROM demo_accounts JOIN users ON users.id = user_id
        AND users.password_hash = demo_accounts.password_hash
        ORDER BY user_id`,
      [],
    );
    return rows.map(({ email, role, password }) => ({
      email: String(email),
      role: ROLES.find((one) => one === role) ?? "user",
      password: String(password),
    }));
  }

  /** Deletes the passwords, for example on a server that others can reach. */
  async forget(): Promise<void> {
    await this.#query("DELETE FROM demo_accounts", []);
  }
}
