import type { SQLQuery, SQLRow, SQLValue } from "../../session/stores/sql.ts";

/** The database of another system. */
export interface OldDatabase {
  /** Runs a statement, as for `createSQLAccountStore`. */
  readonly query: SQLQuery;
  readonly dialect: "sqlite" | "postgres";
}

/** The rows that one statement reads. */
const PAGE = 500;

/** A row whose columns have any spelling: `userId`, `user_id` and `userid`. */
export class OldRow {
  /** The row as the database returned it. */
  readonly values: SQLRow;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(row: SQLRow) {
    this.values = row;
    this.#values = new Map(
      Object.entries(row).map(([name, value]) => [spelling(name), value]),
    );
  }

  /** Returns a string; `null` if the column is missing, null or an object. */
  text(name: string): string | null {
    const value = this.#values.get(spelling(name));
    return typeof value === "string" || typeof value === "number" ||
        typeof value === "bigint"
      ? String(value)
      : null;
  }

  /** Returns `true` for the values that databases have for it. */
  flag(name: string): boolean {
    const value = this.#values.get(spelling(name));
    return value === true || Number(value) === 1 ||
      value === "true" || value === "t";
  }

  /**
   * Returns epoch milliseconds of a date, an ISO string, seconds or milliseconds;
   * `null` for other values.
   */
  time(name: string): number | null {
    const value = this.#values.get(spelling(name));
    if (value instanceof Date) return orNull(value.getTime());
    const text = this.text(name);
    if (text === null) return null;
    if (!/^\d+(\.\d+)?$/.test(text)) return orNull(Date.parse(text));
    const number = Number(text);
    // Seconds reach this number in the year 5138, and milliseconds in 1973.
    return Math.floor(number < 1e11 ? number * 1000 : number);
  }
}

/** A table of another system. */
export class OldTable {
  readonly #database: OldDatabase;
  readonly #name: string;
  /** The names of the columns, by their spelling without case and underscores. */
  readonly #columns: ReadonlyMap<string, string>;

  private constructor(
    database: OldDatabase,
    name: string,
    columns: readonly string[],
  ) {
    this.#database = database;
    this.#name = name;
    this.#columns = new Map(columns.map((one) => [spelling(one), one]));
  }

  /**
   * Finds a table by one of its names in any spelling; `null` if it is missing. It
   * asks the catalog: an error of a statement could also mean that the database is
   * unavailable, and second factors would be lost.
   */
  static async find(
    database: OldDatabase,
    ...names: readonly string[]
  ): Promise<OldTable | null> {
    const { dialect, query } = database;
    const rows = await query(
      dialect === "sqlite"
        ? `SELECT m.name AS "table", p.name AS "column" FROM sqlite_master m
          JOIN pragma_table_info(m.name) p WHERE m.type = 'table'`
        : `SELECT table_name AS "table", column_name AS "column"
          FROM information_schema.columns
          WHERE table_schema = ANY (current_schemas(false))`,
      [],
    );
    for (const name of names) {
      const found = rows.find((row) =>
        spelling(String(row.table)) === spelling(name)
      );
      if (found === undefined) continue;
      const columns = rows.filter(({ table }) => table === found.table)
        .map(({ column }) => String(column));
      return new OldTable(database, String(found.table), columns);
    }
    return null;
  }

  /** Returns `true` if the table has a column. */
  has(column: string): boolean {
    return this.#columns.has(spelling(column));
  }

  /** Returns all rows, in the order of a column with different values. */
  async *rows(by = "id"): AsyncGenerator<OldRow> {
    const column = this.#column(by);
    let after: SQLValue | undefined;
    while (true) {
      const where = after === undefined
        ? ""
        : `WHERE ${column} > ${this.#placeholder}`;
      const rows = await this.#database.query(
        `SELECT * FROM ${quote(this.#name)} ${where}
        ORDER BY ${column} LIMIT ${PAGE}`,
        after === undefined ? [] : [after],
      );
      for (const row of rows) yield new OldRow(row);
      if (rows.length < PAGE) return;
      after = rows.at(-1)![this.#columns.get(spelling(by))!] as SQLValue;
    }
  }

  /** Returns the rows with a value in a column. */
  async where(name: string, value: string): Promise<readonly OldRow[]> {
    const rows = await this.#database.query(
      `SELECT * FROM ${quote(this.#name)}
      WHERE ${this.#column(name)} = ${this.#placeholder}`,
      [value],
    );
    return rows.map((row) => new OldRow(row));
  }

  /** Deletes the rows with a value in a column, and returns them. */
  async take(name: string, value: string): Promise<readonly OldRow[]> {
    const rows = await this.#database.query(
      `DELETE FROM ${quote(this.#name)}
      WHERE ${this.#column(name)} = ${this.#placeholder} RETURNING *`,
      [value],
    );
    return rows.map((row) => new OldRow(row));
  }

  get #placeholder(): string {
    return this.#database.dialect === "sqlite" ? "?" : "$1";
  }

  #column(name: string): string {
    const column = this.#columns.get(spelling(name));
    if (column !== undefined) return quote(column);
    throw new TypeError(
      `Cannot read table "${this.#name}": it has no column "${name}"`,
    );
  }
}

/**
 * Finds a table that must exist.
 *
 * @throws {TypeError} If it is missing.
 */
export async function requireTable(
  database: OldDatabase,
  ...names: readonly string[]
): Promise<OldTable> {
  const table = await OldTable.find(database, ...names);
  if (table !== null) return table;
  throw new TypeError(
    `Cannot read accounts: the database has no table "${names[0]}"`,
  );
}

function spelling(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
