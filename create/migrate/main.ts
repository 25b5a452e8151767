import process from "node:process";
import {
  importAccounts,
  type ImportReport,
  readAuthJS,
  readBetterAuth,
  readLucia,
} from "../../accounts/migrate/mod.ts";
import { createSQLAccountStore } from "../../accounts/store/mod.ts";
import { decryptBetterAuth } from "./better_auth_cipher.ts";
import { type OpenDatabase, openOld, openOwn, openTrial } from "./databases.ts";
import {
  HELP,
  isPostgres,
  type MigrateOptions,
  nameOf,
  parseOptions,
} from "./options.ts";

/** The functions that read the accounts of a database. */
const READERS = {
  "better-auth": ({ dialect, query }: OpenDatabase) => {
    const { BETTER_AUTH_SECRET: secret } = process.env;
    return readBetterAuth(query, {
      dialect,
      ...secret && {
        decrypt: (value: string) => decryptBetterAuth(value, secret),
      },
    });
  },
  "auth-js": ({ dialect, query }: OpenDatabase) =>
    readAuthJS(query, { dialect }),
  lucia: ({ dialect, query }: OpenDatabase) => readLucia(query, { dialect }),
} as const;

/** Runs the program. */
export async function migrate(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === null) return console.log(HELP);
  const report = await run(options);
  console.log(textOf(report, options));
  if (report.refused > 0) process.exitCode = 1;
}

async function run(
  { database, from, to, write }: MigrateOptions,
): Promise<ImportReport> {
  const old = await openOld(database);
  try {
    const own = await (write ? openOwn(to) : openTrial(to));
    try {
      const { SECRETS } = process.env;
      const { dialect, query } = own;
      return await importAccounts(READERS[from](old), {
        store: createSQLAccountStore(query, { dialect }),
        ...SECRETS && { secrets: SECRETS.split(" ") },
      });
    } finally {
      await own.close();
    }
  } finally {
    await old.close();
  }
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
      ? `Written to ${
        isPostgres(to) ? nameOf(to) : JSON.stringify(to)
      }. It can run again, for new accounts.`
      : "Nothing was written. Run it again with --write.",
  ];
  return lines.join("\n");
}
