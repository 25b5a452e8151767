import { existsSync } from "node:fs";
import { readArguments } from "../arguments.ts";

/** The systems that accounts come from. */
export const SYSTEMS = ["better-auth", "auth-js", "lucia"] as const;

/** The choices on the command line. */
export interface MigrateOptions {
  readonly from: typeof SYSTEMS[number];
  /** The path of the database of the other system. */
  readonly database: string;
  /** The path of the database of the accounts. */
  readonly to: string;
  /** `true` to write, instead of a trial on a copy. */
  readonly write: boolean;
}

/** The output of `migrate --help`. */
export const HELP = `Imports the accounts of another system into those of \
Gatehouse, on SQLite.

Usage: create migrate --from SYSTEM --database FILE [options]

  --from      ${SYSTEMS.join(", ")}
  --database  the database of the other system, which is only read
  --to        the database of the accounts: the same file by default
  --write     write the accounts; without it, a trial on a copy only reports
  --help      print this help

Environment:

  SECRETS             the secrets of createAccounts, separated by spaces
  BETTER_AUTH_SECRET  the secret of better-auth, for second factors`;

const OPTIONS = {
  from: { type: "string" },
  database: { type: "string" },
  to: { type: "string" },
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
    throw refusal(`"${positionals[0]}" is not an option`);
  }
  const system = SYSTEMS.find((one) => one === from);
  if (system === undefined) {
    throw refusal(`--from is not one of ${SYSTEMS.join(", ")}`);
  }
  if (typeof database !== "string" || typeof to !== "string" || to === "") {
    throw refusal("--database and --to need the path of a file");
  }
  if (!existsSync(database)) {
    const hint = database.includes("://")
      ? "other databases than SQLite need the functions of the guide"
      : "the file does not exist";
    throw refusal(`--database "${withoutPassword(database)}": ${hint}`);
  }
  if (typeof write !== "boolean") throw refusal('"--write" takes no value');
  return { from: system, database, to, write };
}

/** Removes the password of a URL. */
function withoutPassword(database: string): string {
  return database.replace(/\/\/[^@]*@/, "//");
}

/** Returns the error of the program. */
export function refusal(reason: string): Error {
  return new Error(`Cannot migrate accounts: ${reason}`);
}
