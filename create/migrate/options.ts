import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readArguments } from "../arguments.ts";

/** The systems that accounts come from. */
export const SYSTEMS = ["better-auth", "auth-js", "lucia"] as const;

/** The choices on the command line. */
export interface MigrateOptions {
  readonly from: typeof SYSTEMS[number];
  /** The file or URL of the database of the other system. */
  readonly database: string;
  /** The file or URL of the database of the accounts. */
  readonly to: string;
  /** `true` to write, instead of a trial. */
  readonly write: boolean;
  /** The roles in teams, or `undefined` to import none. */
  readonly teamRoles: readonly string[] | undefined;
  /** The roles of the other system, each with a role in teams. */
  readonly roles: Readonly<Record<string, string>>;
}

/** The output of `migrate --help`. */
export const HELP = `Imports the accounts of another system into those of \
Gatehouse, on SQLite and PostgreSQL.

Usage: create migrate --from SYSTEM --database DATABASE [options]

  --from        ${SYSTEMS.join(", ")}
  --database    the database of the other system, which is only read:
                a file of SQLite, or postgres://user@host/name
  --to          the database of the accounts: the same one by default
  --team-roles  the teamRoles of the definition, separated by spaces: imports
                the organizations of better-auth as teams
  --map-roles   the roles of organizations with other names in teams, such as
                "admin=owner member=reader"
  --write       write the accounts; without it, a trial only reports
  --help        print this help

Environment:

  SECRETS             the secrets of createAccounts, separated by spaces;
                      omit it if createAccounts has none
  BETTER_AUTH_SECRET  the secret of better-auth, for second factors
  PGPASSWORD          the password of PostgreSQL`;

const OPTIONS = {
  from: { type: "string" },
  database: { type: "string" },
  to: { type: "string" },
  "team-roles": { type: "string" },
  "map-roles": { type: "string" },
  write: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Reads the arguments of the program; `null` if they ask for help.
 *
 * @throws {Error} If an option is missing, unknown or malformed.
 */
export function parseOptions(args: readonly string[]): MigrateOptions | null {
  const { values, positionals } = readArguments(args, OPTIONS, refusal);
  const { database, from, help = false, to = database, write = false } = values;
  if (help === true) return null;
  if (positionals.length > 0) {
    throw refusal(`${nameOf(positionals[0]!)} is not an option`);
  }
  const system = SYSTEMS.find((one) => one === from);
  if (system === undefined) {
    throw refusal(`--from is not one of ${SYSTEMS.join(", ")}`);
  }
  if (typeof database !== "string" || typeof to !== "string" || to === "") {
    throw refusal("--database and --to need a file or a URL of PostgreSQL");
  }
  checkLocation("--database", database);
  checkLocation("--to", to);
  if (!isPostgres(database) && !existsSync(database)) {
    throw refusal("--database: the file does not exist");
  }
  // A trial writes to a copy elsewhere, so it would not notice.
  if (!isPostgres(to) && !existsSync(dirname(to))) {
    throw refusal("--to: the folder of the file does not exist");
  }
  if (typeof write !== "boolean") throw refusal('"--write" takes no value');
  return { from: system, database, to, write, ...readRoles(system, values) };
}

/** Reads the roles in teams. */
function readRoles(
  from: string,
  { "team-roles": list, "map-roles": map }: Partial<Record<string, unknown>>,
): Pick<MigrateOptions, "teamRoles" | "roles"> {
  if (list === undefined && map === undefined) {
    return { teamRoles: undefined, roles: {} };
  }
  const teamRoles = wordsOf(list);
  if (from !== "better-auth" || teamRoles.length === 0) {
    throw refusal("--team-roles names the teamRoles, with --from better-auth");
  }
  const roles = wordsOf(map).map((pair) => pair.split("="));
  if (roles.some(([, role = ""]) => !teamRoles.includes(role))) {
    throw refusal(
      "--map-roles is not a list such as admin=owner member=reader",
    );
  }
  return { teamRoles, roles: Object.fromEntries(roles) };
}

function wordsOf(value: unknown): string[] {
  return typeof value === "string" ? value.split(/\s+/).filter(Boolean) : [];
}

/** Returns `true` for a URL of PostgreSQL, and `false` for a file. */
export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location);
}

/**
 * Returns the name of a database without users and passwords. A password that is not
 * percent-encoded can end up in each part of a URL.
 */
export function nameOf(location: string): string {
  const url = URL.parse(location);
  if (url === null || isMisread(location, url)) {
    return JSON.stringify(location.split(":", 1)[0]);
  }
  return JSON.stringify(`${url.protocol}//${url.host}${url.pathname}`);
}

function isMisread(location: string, { username }: URL): boolean {
  return location.includes("@") && username === "";
}

function checkLocation(option: string, location: string): void {
  if (!/^[a-z][\w+.-]+:\/\//i.test(location)) return;
  if (!isPostgres(location)) {
    throw refusal(
      `${option} ${nameOf(location)}: only SQLite and PostgreSQL are read, ` +
        "so copy the tables of MySQL and others there",
    );
  }
  const url = URL.parse(location);
  if (url !== null && !isMisread(location, url)) return;
  throw refusal(
    `${option}: the URL is malformed. Encode its password, or use PGPASSWORD`,
  );
}

/** Returns the error of the program. */
export function refusal(reason: string): Error {
  return new Error(`Cannot migrate accounts: ${reason}`);
}
