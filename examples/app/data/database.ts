import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";

/**
 * Runs one SQL statement with `?` parameters and returns its rows.
 *
 * It is all the application knows of its database, so that the same code runs
 * over `node:sqlite`, `bun:sqlite` or D1. User input is only ever a parameter.
 */
export type Query = SQLQuery;

/** A row as the database returns it. */
export type Row = SQLRow;

const TABLES = [
  `CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT UNIQUE,
    password_hash TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL,
    role TEXT NOT NULL DEFAULT 'user'
      CHECK (role IN ('user', 'editor', 'admin')),
    avatar_url TEXT,
    created_at INTEGER NOT NULL,
    access_version INTEGER NOT NULL DEFAULT 1,
    email_verified INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    login TEXT NOT NULL,
    email TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
  )`,
  `CREATE TABLE IF NOT EXISTS api_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS access_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS passkeys (
    id TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_handle TEXT NOT NULL,
    public_key TEXT NOT NULL,
    counter INTEGER NOT NULL,
    transports TEXT NOT NULL,
    backup_eligible INTEGER NOT NULL,
    backed_up INTEGER NOT NULL,
    aaguid TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
  )`,
  `CREATE TABLE IF NOT EXISTS notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS security_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    user_id INTEGER,
    target_id INTEGER,
    address TEXT
  )`,
  `CREATE TABLE IF NOT EXISTS demo_accounts (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    password TEXT NOT NULL,
    password_hash TEXT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS app_secrets (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS security_events_time ON security_events (time)`,
  `CREATE INDEX IF NOT EXISTS identities_user ON identities (user_id)`,
  `CREATE INDEX IF NOT EXISTS passkeys_user ON passkeys (user_id)`,
  `CREATE INDEX IF NOT EXISTS api_keys_user ON api_keys (user_id)`,
  `CREATE INDEX IF NOT EXISTS access_tokens_user ON access_tokens (user_id)`,
];

/** Columns that tables of older versions do not have. */
const ADDED_COLUMNS = [
  ["users", "access_version", "INTEGER NOT NULL DEFAULT 1"],
  ["users", "email_verified", "INTEGER NOT NULL DEFAULT 0"],
  ["identities", "email", "TEXT"],
] as const;

/** Creates missing tables and columns. */
export async function createTables(query: Query): Promise<void> {
  for (const statement of TABLES) await query(statement, []);
  for (const [table, column, type] of ADDED_COLUMNS) {
    const columns = await query(`PRAGMA table_info(${table})`, []);
    if (columns.some(({ name }) => name === column)) continue;
    await query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`, []);
  }
}
