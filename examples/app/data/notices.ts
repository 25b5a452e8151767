import type { SQLQuery } from "@gatehouse/web/session/sql";

/** A notice that everyone can read. */
export interface Notice {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** The name of its author. */
  readonly author: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

type Text = Pick<Notice, "title" | "body">;

const SELECT =
  "SELECT id, title, body, author, created_at AS createdAt FROM notices";

/** The notices on the board. User input is only ever a parameter of the SQL. */
export class Notices {
  readonly #query: SQLQuery;

  constructor(query: SQLQuery) {
    this.#query = query;
  }

  /** Creates the table, if it is missing. */
  async migrate(): Promise<void> {
    await this.#query(
      `CREATE TABLE IF NOT EXISTS notices (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        author TEXT NOT NULL,
        created_at INTEGER NOT NULL
      )`,
      [],
    );
  }

  /** Returns the latest notices, the newest first. */
  async list(): Promise<Notice[]> {
    const sql = `${SELECT} ORDER BY created_at DESC, id DESC LIMIT 50`;
    return await this.#query(sql, []) as unknown as Notice[];
  }

  /** Finds a notice by id. */
  async find(id: number): Promise<Notice | null> {
    const [row = null] = await this.#query(`${SELECT} WHERE id = ?`, [id]);
    return row as Notice | null;
  }

  /** Adds a notice. */
  async create({ title, body }: Text, author: string): Promise<void> {
    await this.#query(
      `INSERT INTO notices (title, body, author, created_at)
        VALUES (?, ?, ?, ?)`,
      [title, body, author, Date.now()],
    );
  }

  /** Changes a notice: `false` if it does not exist. */
  async update(id: number, { title, body }: Text): Promise<boolean> {
    const sql =
      "UPDATE notices SET title = ?, body = ? WHERE id = ? RETURNING id";
    return (await this.#query(sql, [title, body, id])).length === 1;
  }

  /** Removes a notice: `false` if it does not exist. */
  async remove(id: number): Promise<boolean> {
    const sql = "DELETE FROM notices WHERE id = ? RETURNING id";
    return (await this.#query(sql, [id])).length === 1;
  }
}
