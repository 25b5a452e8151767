import type { AccountStore } from "@gatehouse/web/accounts/store";
import { hashPassword } from "@gatehouse/web/auth/password";
import type { SQLQuery } from "@gatehouse/web/session/sql";
import demo from "./demo.json" with { type: "json" };
import { Notices } from "./notices.ts";

/** An account of the demo. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
  readonly role: string;
}

/**
 * The accounts of a new board, with random passwords: no installation has a
 * password that others know. The database keeps the passwords only for the login
 * page on the computer that runs the application.
 */
export class DemoAccounts {
  readonly #query: SQLQuery;
  readonly #store: AccountStore;

  constructor(query: SQLQuery, store: AccountStore) {
    this.#query = query;
    this.#store = store;
  }

  /**
   * Adds two accounts and four notices to a database without accounts.
   *
   * @param isRemembered `true` to keep the passwords.
   * @returns The accounts; an empty array if the database had some.
   */
  async seed(isRemembered: boolean): Promise<DemoAccount[]> {
    await this.#query(
      `CREATE TABLE IF NOT EXISTS demo_passwords
        (user_id TEXT PRIMARY KEY, password TEXT, password_hash TEXT)`,
      [],
    );
    if (!isRemembered) await this.#query("DELETE FROM demo_passwords", []);
    const { accounts: [first] } = await this.#store.list({ limit: 1 });
    if (first !== undefined) return [];
    const created: DemoAccount[] = [];
    for (const person of demo.people) {
      const id = crypto.randomUUID();
      // 72 random bits in 12 characters.
      const bytes = crypto.getRandomValues(new Uint8Array(9));
      const password = btoa(String.fromCharCode(...bytes));
      const passwordHash = await hashPassword(password);
      const account = {
        ...person,
        id,
        passwordHash,
        emailVerified: true,
        language: null,
        fields: {},
        createdAt: Date.now(),
      };
      // Two servers may start at once: the accounts of the first one count.
      if (await this.#store.create(account) === null) continue;
      const sql = "INSERT INTO demo_passwords VALUES (?, ?, ?)";
      if (isRemembered) await this.#query(sql, [id, password, passwordHash]);
      created.push({ ...person, password });
    }
    const board = new Notices(this.#query);
    const isEmpty = (await board.list()).length === 0;
    const notices = isEmpty && created.length > 1 ? demo.notices : [];
    for (const notice of notices) await board.create(notice, notice.author);
    return created;
  }

  /** Returns the accounts whose password was not changed. */
  async list(): Promise<DemoAccount[]> {
    const sql = "SELECT * FROM demo_passwords ORDER BY rowid";
    const found: DemoAccount[] = [];
    for (const row of await this.#query(sql, [])) {
      const account = await this.#store.find(String(row.user_id));
      const login = account && await this.#store.findLogin(account.email);
      if (!login || login.passwordHash !== row.password_hash) continue;
      const { email, role } = login.account;
      found.push({ email, role, password: String(row.password) });
    }
    return found;
  }
}
