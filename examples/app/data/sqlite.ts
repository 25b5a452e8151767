import { DatabaseSync } from "node:sqlite";
import type { Query } from "./database.ts";

/** A database in a file, to be closed at the end. */
export interface SQLiteDatabase extends Query, Disposable {}

/** Opens an SQLite file, or a database in memory with `:memory:`. */
export function openSQLite(file: string): SQLiteDatabase {
  const database = new DatabaseSync(file);
  // Readers do not wait for writers, and writers wait instead of failing.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA foreign_keys = ON");
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const query: Query = (sql, params) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...params);
  };
  return Object.assign(query, {
    [Symbol.dispose]: () => database.close(),
  });
}
