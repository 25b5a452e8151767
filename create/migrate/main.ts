import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import {
  importAccounts,
  type ImportReport,
  readAuthJS,
  readBetterAuth,
  readLucia,
} from "../../accounts/migrate/mod.ts";
import { createSQLAccountStore } from "../../accounts/store/mod.ts";
import type { SQLQuery } from "../../session/stores/sql.ts";
import { decryptBetterAuth } from "./better_auth_cipher.ts";
import { HELP, type MigrateOptions, parseOptions, refusal } from "./options.ts";

/** The functions that read the accounts of a database. */
const READERS = {
  "better-auth": (query: SQLQuery) => {
    const { BETTER_AUTH_SECRET: secret } = process.env;
    return readBetterAuth(query, {
      ...secret && {
        decrypt: (value: string) => decryptBetterAuth(value, secret),
      },
    });
  },
  "auth-js": (query: SQLQuery) => readAuthJS(query),
  lucia: (query: SQLQuery) => readLucia(query),
} as const;

/** Runs the program. */
export async function migrate(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === null) return console.log(HELP);
  const report = options.write
    ? await run(options, options.to)
    : await runOnCopy(options);
  console.log(textOf(report, options));
  if (report.refused > 0) process.exitCode = 1;
}

/** Runs the import on a copy of the accounts, which it removes. */
async function runOnCopy(options: MigrateOptions): Promise<ImportReport> {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  try {
    const copy = join(folder, "copy.sqlite");
    if (existsSync(options.to)) {
      const database = await open(options.to, true);
      try {
        database.prepare("VACUUM INTO ?").run(copy);
      } finally {
        database.close();
      }
    }
    return await run(options, copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(
  { database, from }: MigrateOptions,
  target: string,
): Promise<ImportReport> {
  const old = await open(database, true);
  const own = await open(target, false);
  try {
    const { SECRETS } = process.env;
    return await importAccounts(READERS[from](queryOf(old)), {
      store: createSQLAccountStore(queryOf(own)),
      ...SECRETS && { secrets: SECRETS.split(" ") },
    });
  } finally {
    old.close();
    own.close();
  }
}

async function open(path: string, readOnly: boolean): Promise<DatabaseSync> {
  const sqlite = await import("node:sqlite").catch(() => {
    throw refusal("this runtime has no node:sqlite: use Deno or Node");
  });
  // The application may write at the same time.
  return new sqlite.DatabaseSync(path, { readOnly, timeout: 10_000 });
}

function queryOf(database: DatabaseSync) {
  return (sql: string, params: (string | number | null)[]) =>
    database.prepare(sql).all(...params) as Record<string, unknown>[];
}

/** The problems that the report prints. */
const MAX_PROBLEMS = 1_000;

function textOf(
  report: ImportReport,
  { to, write }: MigrateOptions,
): string {
  const { problems } = report;
  const lines = [
    `${report.read} accounts read`,
    `${report.created} created: ${report.passwords} with a password`,
    `${report.existing} existed from an earlier import`,
    `${report.secondFactors} authenticator apps`,
    `${report.passkeys} passkeys`,
    `${report.logins} logins at providers`,
    `${report.refused} accounts not imported`,
    ...problems.slice(0, MAX_PROBLEMS).map(({ id, problem }) =>
      `  ${JSON.stringify(id)}: ${problem}`
    ),
    ...problems.length > MAX_PROBLEMS
      ? [`  and ${problems.length - MAX_PROBLEMS} other problems`]
      : [],
    "",
    write
      ? `Written to ${JSON.stringify(to)}. It can run again, for new accounts.`
      : "Nothing was written. Run it again with --write.",
  ];
  return lines.join("\n");
}
