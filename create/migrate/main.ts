import process from "node:process";
import {
  importAccounts,
  type ImportProblem,
  type ImportReport,
  importTeams,
  readAuthJS,
  readBetterAuth,
  readBetterAuthTeams,
  readLucia,
  type TeamImportReport,
} from "../../accounts/migrate/mod.ts";
import {
  type AccountStore,
  createSQLAccountStore,
} from "../../accounts/store/mod.ts";
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
  const result = await run(options);
  console.log(textOf(result, options));
  const { accounts, teams } = result;
  if (accounts.refused > 0 || Number(teams?.refused) > 0) process.exitCode = 1;
}

/** The reports of an import. */
interface Result {
  readonly accounts: ImportReport;
  /** The report of the teams, if they were imported. */
  readonly teams: TeamImportReport | null;
  /** `true` if there are organizations that were not imported. */
  readonly hasOrganizations: boolean;
}

async function run(options: MigrateOptions): Promise<Result> {
  const { database, from, to, write } = options;
  const old = await openOld(database);
  try {
    const own = await (write ? openOwn(to) : openTrial(to));
    try {
      const { SECRETS } = process.env;
      const { dialect, query } = own;
      const store = createSQLAccountStore(query, { dialect });
      const accounts = await importAccounts(READERS[from](old), {
        store,
        ...SECRETS && { secrets: SECRETS.split(" ") },
      });
      return { accounts, ...await runTeams(options, old, store) };
    } finally {
      await own.close();
    }
  } finally {
    await old.close();
  }
}

async function runTeams(
  { from, roles, teamRoles }: MigrateOptions,
  { dialect, query }: OpenDatabase,
  store: AccountStore,
): Promise<Pick<Result, "teams" | "hasOrganizations">> {
  if (from !== "better-auth") return { teams: null, hasOrganizations: false };
  const organizations = readBetterAuthTeams(query, { dialect });
  if (teamRoles === undefined) {
    const { done } = await organizations.next();
    return { teams: null, hasOrganizations: done !== true };
  }
  const teams = await importTeams(organizations, { store, teamRoles, roles });
  return { teams, hasOrganizations: false };
}

/** The problems that the report prints. */
const MAX_PROBLEMS = 1_000;

function textOf(
  { accounts, hasOrganizations, teams }: Result,
  { to, write }: MigrateOptions,
): string {
  const lines = [
    `${many(accounts.read, "account")} read`,
    `${accounts.created} created: ${accounts.passwords} with a password`,
    `${accounts.existing} existed from an earlier import`,
    many(accounts.secondFactors, "authenticator app"),
    many(accounts.passkeys, "passkey"),
    many(accounts.logins, "provider login"),
    `${many(accounts.refused, "account")} not imported`,
    ...problemLines(accounts.problems),
    ...teams === null ? [] : [
      `${many(teams.read, "organization")} read`,
      `${many(teams.created, "team")} created, and ${teams.existing} existed`,
      many(teams.members, "member"),
      many(teams.invitations, "invitation"),
      `${many(teams.refused, "organization")} not imported`,
      ...problemLines(teams.problems),
    ],
    ...hasOrganizations
      ? ["Organizations are not imported without --team-roles."]
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

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function problemLines(problems: readonly ImportProblem[]): string[] {
  return [
    ...problems.slice(0, MAX_PROBLEMS).map(({ id, problem }) =>
      `  ${JSON.stringify(id)}: ${problem}`
    ),
    ...problems.length > MAX_PROBLEMS
      ? [`  and ${problems.length - MAX_PROBLEMS} other problems`]
      : [],
  ];
}
