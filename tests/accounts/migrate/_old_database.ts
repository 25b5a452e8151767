/** A row of a table of another system. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Returns the query of a database with tables, in SQLite and PostgreSQL. */
export function queryOf(tables: Readonly<Record<string, readonly Row[]>>) {
  return (sql: string, [value]: readonly unknown[]) => {
    if (/sqlite_master|information_schema/.test(sql)) {
      return Object.entries(tables).flatMap(([table, [row = {}]]) =>
        Object.keys(row).map((column) => ({ table, column }))
      );
    }
    const pattern = /FROM "(\w+)"\s+(?:WHERE "(\w+)" = [?$])?/;
    const [, name = "", column] = pattern.exec(sql)!;
    return tables[name]!.filter((row) =>
      column === undefined || row[column] === value
    );
  };
}
