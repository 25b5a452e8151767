import type { SQLQuery } from "./sql.ts";

/** The columns of a value's index names, one for each. */
export const INDEX_COLUMNS: readonly string[] = [
  "index1",
  "index2",
  "index3",
  "index4",
];

/**
 * Creates the table and the indexes that do not exist. It looks first: in
 * PostgreSQL, even `CREATE INDEX IF NOT EXISTS` for an existing index waits for
 * a VACUUM, and all writers then wait for it.
 */
export async function createMissing(
  query: SQLQuery,
  dialect: "sqlite" | "postgres",
  table: string,
): Promise<void> {
  const rows = await query(
    dialect === "sqlite"
      ? `SELECT name FROM sqlite_master WHERE lower(tbl_name) = lower('${table}')`
      : `SELECT relname AS name FROM pg_class WHERE oid = to_regclass('${table}')
        OR oid IN (SELECT indexrelid FROM pg_index
        WHERE indrelid = to_regclass('${table}'))`,
    [],
  );
  const existing = new Set(rows.map(({ name }) => String(name).toLowerCase()));
  for (const [name, sql] of definitions(table)) {
    if (existing.has(name.toLowerCase())) continue;
    // PostgreSQL's IF NOT EXISTS can fail if two connections run it at once.
    // The second attempt then finds the table.
    try {
      await query(sql, []);
    } catch {
      await query(sql, []);
    }
  }
}

/** Returns the statements that create the table and its indexes. */
export function tableStatements(table: string): string[] {
  return definitions(table).map(([, sql]) => sql);
}

/** Returns the names of the table and its indexes, with their statements. */
function definitions(table: string): [name: string, sql: string][] {
  const expiry = `${table}_expires_at`;
  return [
    [
      table,
      `CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY,
      value TEXT NOT NULL, version TEXT NOT NULL,
      expires_at BIGINT NOT NULL, ${
        INDEX_COLUMNS.map((name) => `${name} TEXT`)
      })`,
    ],
    [expiry, `CREATE INDEX IF NOT EXISTS ${expiry} ON ${table} (expires_at)`],
    ...INDEX_COLUMNS.map((name): [string, string] => [
      `${table}_${name}`,
      `CREATE INDEX IF NOT EXISTS ${table}_${name} ON ${table} (${name})
      WHERE ${name} IS NOT NULL`,
    ]),
  ];
}
