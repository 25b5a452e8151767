import type { SQLValue } from "../../session/stores/sql.ts";
import { type Cursor, readCursor, toPage } from "./cursor.ts";
import { toAccount } from "./_rows.ts";
import type { SQLDatabase } from "./_sql_database.ts";
import type { AccountListOptions, AccountPage } from "./store.ts";

/** Returns a page of accounts, oldest first. */
export async function listAccounts(
  db: SQLDatabase,
  options: AccountListOptions = {},
): Promise<AccountPage> {
  const cursor = readCursor(options);
  if (cursor === null) return { accounts: [], next: undefined };
  const { where, params } = conditionsOf(db, options, cursor);
  const { created_at, id } = db.names.columns;
  const rows = await db.run(
    `SELECT ${db.accountColumns} FROM ${db.names.users} u ${where}
      ORDER BY u.${created_at}, u.${id} LIMIT ${cursor.limit + 1}`,
    params,
  );
  return toPage(rows.map(toAccount), cursor.limit);
}

function conditionsOf(
  { names: { columns } }: SQLDatabase,
  { role, search }: AccountListOptions,
  { after }: Cursor,
): { where: string; params: SQLValue[] } {
  const conditions: [sql: string, params: SQLValue[]][] = [];
  if (after !== undefined) {
    const { createdAt, id } = after;
    conditions.push([
      `(u.${columns.created_at} > ? OR u.${columns.created_at} = ? AND u.${columns.id} > ?)`,
      [createdAt, createdAt, id],
    ]);
  }
  if (role !== undefined) {
    conditions.push([`u.${columns.role} = ?`, [role]]);
  }
  if (search !== undefined) {
    const part = search.toLowerCase().replaceAll(/[!%_]/g, "!$&");
    conditions.push([
      `(lower(u.${columns.name}) LIKE ? ESCAPE '!' OR u.${columns.email} LIKE ? ESCAPE '!')`,
      [`%${part}%`, `%${part}%`],
    ]);
  }
  const where = conditions.map(([sql]) => sql).join(" AND ");
  return {
    where: where === "" ? "" : `WHERE ${where}`,
    params: conditions.flatMap(([, params]) => params),
  };
}
