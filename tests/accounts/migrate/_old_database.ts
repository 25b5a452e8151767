/** A row of a table of another system. */
export type Row = Readonly<
  Record<string, string | number | bigint | boolean | Date | null>
>;

/** The tables of another system, whose rows statements delete. */
export type Tables = Record<string, readonly Row[]>;

/** Returns the query of a database with tables, in SQLite and PostgreSQL. */
export function queryOf(tables: Tables) {
  const run = (sql: string, [value]: readonly unknown[]): readonly Row[] => {
    if (/sqlite_master|information_schema/.test(sql)) {
      return Object.entries(tables).flatMap(([table, [row = {}]]) =>
        Object.keys(row).map((column) => ({ table, column }))
      );
    }
    const [, name = "", column, sign] = TABLE.exec(sql)!;
    const rows = tables[name]!;
    const isFound = (row: Row) =>
      column === undefined ||
      (sign === ">"
        ? String(row[column]) > String(value)
        : row[column] === value);
    if (sql.startsWith("DELETE")) {
      tables[name] = rows.filter((row) => !isFound(row));
      return rows.filter(isFound);
    }
    const [, limit = Infinity] = /LIMIT (\d+)/.exec(sql) ?? [];
    return rows.filter(isFound).slice(0, Number(limit));
  };
  return (sql: string, params: readonly unknown[]) =>
    Promise.resolve(run(sql, params));
}

const TABLE = /FROM "(\w+)"\s+(?:WHERE "(\w+)" ([=>]) [?$])?/;
