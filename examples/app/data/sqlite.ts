import type { Query, Row } from "./database.ts";

/** An SQLite database, as `node:sqlite` and `bun:sqlite` open it. */
export interface SQLite {
  exec(sql: string): void;
  prepare(sql: string): SQLiteStatement;
  close(): void;
}

/** A statement that was prepared. */
export interface SQLiteStatement {
  all(...params: (string | number | null)[]): Row[];
}

/** Queries on an SQLite database, which is to be closed at the end. */
export interface SQLiteQuery extends Query, Disposable {}

/** Runs SQL on an SQLite database. */
export function overSQLite(database: SQLite): SQLiteQuery {
  // Readers do not wait for writers, and writers wait instead of failing.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA foreign_keys = ON");
  const statements = new Map<string, SQLiteStatement>();
  const query: Query = (sql, params) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...params);
  };
  return Object.assign(query, {
    [Symbol.dispose]: () => database.close(),
  });
}
