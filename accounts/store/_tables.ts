import type { SQLQuery } from "../../session/stores/sql.ts";
import { tableStatements } from "../../session/internal.ts";
import { checkOptions, OBJECT } from "../option_checks.ts";
import type { SQLAccountStoreOptions } from "./sql.ts";

/** The SQL dialects. */
export type Dialect = "sqlite" | "postgres";

/** The columns of the table of accounts, with their types. */
const ACCOUNT_COLUMNS = {
  id: "TEXT NOT NULL PRIMARY KEY",
  email: "TEXT NOT NULL",
  email_verified: "BIGINT NOT NULL DEFAULT 0",
  name: "TEXT NOT NULL DEFAULT ''",
  role: "TEXT NOT NULL DEFAULT 'user'",
  language: "TEXT",
  fields: "TEXT NOT NULL DEFAULT '{}'",
  password_hash: "TEXT NOT NULL DEFAULT ''",
  version: "BIGINT NOT NULL DEFAULT 1",
  ways_after: "BIGINT NOT NULL DEFAULT 0",
  created_at: "BIGINT NOT NULL DEFAULT 0",
  disabled_reason: "TEXT",
  disabled_until: "BIGINT",
  delete_at: "BIGINT",
} as const;

/** A column of the table of accounts. */
export type AccountColumn = keyof typeof ACCOUNT_COLUMNS;

/** The columns of the table of accounts. */
export const COLUMNS = Object.keys(ACCOUNT_COLUMNS) as AccountColumn[];

/** The names of the account tables and columns. */
export interface TableNames {
  readonly users: string;
  readonly waysIn: string;
  readonly secrets: string;
  readonly teams: string;
  readonly members: string;
  readonly invitations: string;
  readonly audit: string;
  readonly migrations: string;
  readonly values: string;
  readonly columns: Readonly<Record<AccountColumn, string>>;
}

/** The version of the tables. A new version only adds to them. */
const VERSION = 3;

/**
 * Returns the names of the options.
 *
 * @throws {TypeError} If a name is not a plain identifier.
 */
export function namesOf(options: SQLAccountStoreOptions): TableNames {
  const { prefix = "gatehouse_", usersTable = `${prefix}users` } = options;
  const { columns: given = {} } = options;
  checkOptions("create account store", options, { columns: OBJECT });
  const columns = Object.fromEntries(
    COLUMNS.map((column) => [column, given[column] ?? column]),
  ) as Record<AccountColumn, string>;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(ACCOUNT_COLUMNS, name)) continue;
    throw new TypeError(
      `Cannot create account store: column "${name}" is unknown`,
    );
  }
  checkName("prefix", prefix, "a");
  checkName("usersTable", usersTable);
  for (const [column, name] of Object.entries(columns)) {
    checkName(`columns.${column}`, name);
  }
  if (new Set(Object.values(columns)).size < COLUMNS.length) {
    throw new TypeError(
      "Cannot create account store: columns has the same name twice",
    );
  }
  return {
    users: usersTable,
    waysIn: `${prefix}ways_in`,
    secrets: `${prefix}secrets`,
    teams: `${prefix}teams`,
    members: `${prefix}members`,
    invitations: `${prefix}invitations`,
    audit: `${prefix}audit`,
    migrations: `${prefix}migrations`,
    values: `${prefix}values`,
    columns,
  };
}

function checkName(option: string, name: unknown, end = ""): void {
  const isPlain = typeof name === "string" &&
    /^[A-Za-z_]\w{0,39}$/.test(name + end);
  if (isPlain) return;
  throw new TypeError(
    `Cannot create account store: ${option} "${name}" is not a plain name`,
  );
}

/** A table or an index that must exist, and the statement that creates it. */
interface Definition {
  readonly name: string;
  readonly sql: string;
}

function table(name: string, parts: readonly string[]): Definition {
  const sql = `CREATE TABLE IF NOT EXISTS ${name} (${parts.join(", ")})`;
  return { name, sql };
}

function index(name: string, on: string, kind = "INDEX"): Definition {
  return { name, sql: `CREATE ${kind} IF NOT EXISTS ${name} ON ${on}` };
}

/** Returns the tables of teams, which version 2 has added. */
function teamDefinitions(names: TableNames): Definition[] {
  const { columns, invitations, members, teams, users } = names;
  const ofTeam =
    `team_id TEXT NOT NULL REFERENCES ${teams} (id) ON DELETE CASCADE`;
  return [
    table(teams, [
      "id TEXT NOT NULL PRIMARY KEY",
      "name TEXT NOT NULL",
      "created_at BIGINT NOT NULL",
    ]),
    table(members, [
      "id TEXT NOT NULL PRIMARY KEY",
      ofTeam,
      `user_id TEXT NOT NULL REFERENCES ${users} (${columns.id}) ON DELETE CASCADE`,
      "role TEXT NOT NULL",
      "created_at BIGINT NOT NULL",
    ]),
    index(
      `${members}_by_team`,
      `${members} (team_id, user_id)`,
      "UNIQUE INDEX",
    ),
    index(`${members}_by_user`, `${members} (user_id, created_at)`),
    table(invitations, [
      "id TEXT NOT NULL PRIMARY KEY",
      ofTeam,
      "email TEXT NOT NULL",
      "role TEXT NOT NULL",
      "invited_by TEXT NOT NULL",
      "created_at BIGINT NOT NULL",
      "expires_at BIGINT NOT NULL",
    ]),
    index(
      `${invitations}_by_team`,
      `${invitations} (team_id, email)`,
      "UNIQUE INDEX",
    ),
    index(`${invitations}_by_email`, `${invitations} (email)`),
  ];
}

/** Returns the table of the audit log, which version 3 has added. */
function auditDefinitions({ audit }: TableNames): Definition[] {
  return [
    // Entries stay when their account is removed, so nothing refers to it.
    table(audit, [
      "id TEXT NOT NULL PRIMARY KEY",
      "at BIGINT NOT NULL",
      "actor_id TEXT NOT NULL",
      "user_id TEXT NOT NULL",
      "action TEXT NOT NULL",
      "reason TEXT NOT NULL",
    ]),
    index(`${audit}_by_time`, `${audit} (at, id)`),
    index(`${audit}_by_user`, `${audit} (user_id, at)`),
    index(`${audit}_by_actor`, `${audit} (actor_id, at)`),
  ];
}

/** Returns the tables and indexes, in the order of their creation. */
function definitionsOf(names: TableNames): Definition[] {
  const { users, waysIn, secrets, migrations, columns } = names;
  const accountColumns = COLUMNS
    .map((column) => `${columns[column]} ${ACCOUNT_COLUMNS[column]}`);
  return [
    table(users, accountColumns),
    index(`${users}_by_email`, `${users} (${columns.email})`, "UNIQUE INDEX"),
    index(
      `${users}_by_time`,
      `${users} (${columns.created_at}, ${columns.id})`,
    ),
    index(
      `${users}_by_delete_at`,
      `${users} (${columns.delete_at}) WHERE ${columns.delete_at} IS NOT NULL`,
    ),
    table(waysIn, [
      "kind TEXT NOT NULL",
      "id TEXT NOT NULL",
      `user_id TEXT NOT NULL REFERENCES ${users} (${columns.id}) ON DELETE CASCADE`,
      "version BIGINT NOT NULL",
      "name TEXT NOT NULL",
      "created_at BIGINT NOT NULL",
      "used_at BIGINT",
      "counter BIGINT NOT NULL",
      "data TEXT NOT NULL",
      "PRIMARY KEY (kind, id)",
    ]),
    index(`${waysIn}_by_user`, `${waysIn} (user_id, kind, created_at)`),
    ...teamDefinitions(names),
    ...auditDefinitions(names),
    table(secrets, ["name TEXT NOT NULL PRIMARY KEY", "value TEXT NOT NULL"]),
    table(migrations, ["version BIGINT NOT NULL PRIMARY KEY"]),
  ];
}

/**
 * Returns the statements that create all tables of accounts, for migration tools.
 *
 * @example In a migration
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * import { accountTables } from "@gatehouse/web/accounts/store";
 *
 * const statements = accountTables("postgres");
 * assertStringIncludes(statements[0], "gatehouse_users");
 * ```
 *
 * @param dialect The SQL dialect. Both have the same tables.
 * @param options The names of the tables.
 * @returns The statements, in their order.
 * @throws {TypeError} If a name is not a plain identifier.
 */
export function accountTables(
  dialect: "sqlite" | "postgres",
  options: Omit<SQLAccountStoreOptions, "dialect"> = {},
): string[] {
  if (dialect !== "sqlite" && dialect !== "postgres") {
    throw new TypeError(
      `Cannot name the tables of accounts: dialect "${dialect}" is unknown`,
    );
  }
  const names = namesOf(options);
  return [
    ...definitionsOf(names).map(({ sql }) => sql),
    ...tableStatements(names.values),
    markVersion(names),
  ];
}

/**
 * Creates the missing tables. It looks first, because even `IF NOT EXISTS` waits for
 * locks in PostgreSQL, and all writers then wait for it. In an existing table of
 * users it adds the columns that are missing.
 */
export async function migrateTables(
  query: SQLQuery,
  dialect: Dialect,
  names: TableNames,
): Promise<void> {
  const definitions = definitionsOf(names);
  const existing = await existingOf(query, dialect, definitions);
  const [users] = definitions;
  if (existing.has(names.migrations.toLowerCase())) {
    const sql = `SELECT MAX(version) AS version FROM ${names.migrations}`;
    const [row] = await query(sql, []);
    if (Number(row?.version ?? 0) >= VERSION) return;
  }
  if (existing.has(users!.name.toLowerCase())) {
    await addColumns(query, dialect, names);
  }
  for (const { name, sql } of definitions) {
    if (!existing.has(name.toLowerCase())) await attempt(() => query(sql, []));
  }
  await query(markVersion(names), []);
}

function markVersion({ migrations }: TableNames): string {
  return `INSERT INTO ${migrations} (version) VALUES (${VERSION}) ON CONFLICT (version) DO NOTHING`;
}

/**
 * Runs a statement again if it fails: PostgreSQL's `IF NOT EXISTS` can fail if two
 * connections run it at the same time, and the next attempt finds the table.
 */
async function attempt(run: () => unknown): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      await run();
      return;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

async function existingOf(
  query: SQLQuery,
  dialect: Dialect,
  definitions: readonly Definition[],
): Promise<Set<string>> {
  const list = definitions.map(({ name }) => `'${name.toLowerCase()}'`)
    .join(", ");
  // PostgreSQL looks for the tables where the statements create them.
  const rows = await query(
    dialect === "sqlite"
      ? `SELECT name FROM sqlite_master WHERE lower(name) IN (${list})`
      : `SELECT relname AS name FROM pg_class WHERE relname IN (${list})
        AND pg_table_is_visible(oid)`,
    [],
  );
  return new Set(rows.map(({ name }) => String(name).toLowerCase()));
}

/** Adds the missing columns to an existing table of users. */
async function addColumns(
  query: SQLQuery,
  dialect: Dialect,
  { users, columns }: TableNames,
): Promise<void> {
  const existing = async () => {
    const rows = await query(
      dialect === "sqlite"
        ? `SELECT name FROM pragma_table_info('${users}')`
        : `SELECT attname AS name FROM pg_attribute
          WHERE attrelid = to_regclass('${users}') AND NOT attisdropped`,
      [],
    );
    return new Set(rows.map(({ name }) => String(name).toLowerCase()));
  };
  const before = await existing();
  for (const column of COLUMNS) {
    const name = columns[column];
    if (before.has(name.toLowerCase())) continue;
    if (column === "id" || column === "email") {
      throw new TypeError(
        `Cannot migrate table "${users}": it has no column "${name}"`,
      );
    }
    const type = ACCOUNT_COLUMNS[column];
    await attempt(async () => {
      // Another process may have added the column.
      if ((await existing()).has(name.toLowerCase())) return;
      await query(`ALTER TABLE ${users} ADD COLUMN ${name} ${type}`, []);
    });
  }
}
