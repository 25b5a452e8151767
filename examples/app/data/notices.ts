import type { Query, Row } from "./database.ts";

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

/** The part of a notice that an editor writes. */
export type NoticeText = Pick<Notice, "title" | "body">;

/** The notices on the board. */
export class Notices {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Returns the latest notices, the newest first. */
  async list(): Promise<Notice[]> {
    const sql =
      "SELECT * FROM notices ORDER BY created_at DESC, id DESC LIMIT 50";
    return (await this.#query(sql, [])).map(toNotice);
  }

  /** Finds a notice by id. */
  async find(id: number): Promise<Notice | null> {
    const [row] = await this.#query("SELECT * FROM notices WHERE id = ?", [id]);
    return row === undefined ? null : toNotice(row);
  }

  /** Adds a notice. */
  async create({ title, body }: NoticeText, author: string): Promise<void> {
    await this.#query(
      `INSERT INTO notices (title, body, author, created_at)
        VALUES (?, ?, ?, ?)`,
      [title, body, author, Date.now()],
    );
  }

  /** Changes a notice: `false` if it does not exist. */
  async update(id: number, { title, body }: NoticeText): Promise<boolean> {
    const rows = await this.#query(
      "UPDATE notices SET title = ?, body = ? WHERE id = ? RETURNING id",
      [title, body, id],
    );
    return rows.length === 1;
  }

  /** Removes a notice: `false` if it does not exist. */
  async remove(id: number): Promise<boolean> {
    const sql = "DELETE FROM notices WHERE id = ? RETURNING id";
    return (await this.#query(sql, [id])).length === 1;
  }
}

function toNotice(row: Row): Notice {
  return {
    id: Number(row.id),
    title: String(row.title),
    body: String(row.body),
    author: String(row.author),
    createdAt: Number(row.created_at),
  };
}
