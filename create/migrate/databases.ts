import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { SQLQuery } from "../../session/stores/sql.ts";
import { isPostgres, refusal } from "./options.ts";
import { openPostgres } from "./postgres.ts";

/** An open database. */
export interface OpenDatabase {
  readonly query: SQLQuery;
  readonly dialect: "sqlite" | "postgres";
  close(): void | Promise<void>;
}

/** Opens the database of the other system, which is only read. */
export async function openOld(location: string): Promise<OpenDatabase> {
  return isPostgres(location)
    ? await openPostgres(
      location,
      "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    )
    : await openSQLite(location, "--database");
}

/** Opens the database of the accounts. */
export async function openOwn(location: string): Promise<OpenDatabase> {
  return isPostgres(location)
    ? await openPostgres(location)
    : await openSQLite(location, "--to");
}

/**
 * Opens the database of the accounts so that nothing is written: a copy of a file, or
 * a transaction that never commits.
 */
export async function openTrial(location: string): Promise<OpenDatabase> {
  if (isPostgres(location)) return await openPostgres(location, "BEGIN");
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    const copy = join(folder, "copy.sqlite");
    if (existsSync(location)) await copySQLite(location, copy);
    const database = await openSQLite(copy, "--to");
    return {
      ...database,
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function copySQLite(path: string, copy: string): Promise<void> {
  const database = await openFile(path, "--to", true);
  try {
    database.prepare("VACUUM INTO ?").run(copy);
  } finally {
    database.close();
  }
}

async function openSQLite(path: string, option: "--database" | "--to") {
  const database = await openFile(path, option, option === "--database");
  return {
    dialect: "sqlite" as const,
    query: (sql: string, params: (string | number | null)[]) =>
      database.prepare(sql).all(...params) as Record<string, unknown>[],
    close: () => database.close(),
  };
}

async function openFile(
  path: string,
  option: "--database" | "--to",
  readOnly: boolean,
): Promise<DatabaseSync> {
  const sqlite = await import("node:sqlite").catch(() => {
    throw refusal("this runtime has no node:sqlite: use Deno or Node");
  });
  let database: DatabaseSync | undefined;
  try {
    // The application may write at the same time.
    database = new sqlite.DatabaseSync(path, { readOnly, timeout: 10_000 });
    // SQLite reads the file at the first statement.
    database.exec("PRAGMA schema_version");
    return database;
  } catch (error) {
    database?.close();
    throw refusal(`${option}: ${(error as Error).message}`);
  }
}
