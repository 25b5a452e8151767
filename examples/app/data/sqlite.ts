import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";

/** An SQLite database, as `node:sqlite` and `bun:sqlite` open it. */
export interface SQLite {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...params: (string | number | null)[]): SQLRow[];
  };
}

/** Runs SQL on an SQLite database. */
export function overSQLite(database: SQLite): SQLQuery {
  // Readers do not wait for writers, and writers wait instead of failing.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA foreign_keys = ON");
  const statements = new Map<string, ReturnType<SQLite["prepare"]>>();
  return (sql, params) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...params);
  };
}
