import process from "node:process";
import { readArguments } from "./arguments.ts";
import { hasPostgres, type Project, RUNTIMES, TEMPLATES } from "./project.ts";

/** The choices on the command line. Questions complete them. */
export interface CommandLine extends Partial<Project> {
  /** `true` to use the defaults instead of asking. */
  readonly yes: boolean;
  /** `true` to print the help. */
  readonly help: boolean;
}

/** The values of the options. */
export const CHOICES = {
  template: Object.keys(TEMPLATES) as Project["template"][],
  runtime: Object.keys(RUNTIMES) as Project["runtime"][],
  database: ["sqlite", "postgres"] as Project["database"][],
};

/** The values that `--yes` chooses. */
export const DEFAULTS = {
  folder: "my-app",
  template: "login",
  runtime: currentRuntime(),
  database: "sqlite",
} as const satisfies Project;

/** The output of `--help`. */
export const HELP = `Creates a project with Gatehouse in a new or empty folder.

Usage: create [folder] [options]
       create migrate --help

  --template  ${CHOICES.template.join(", ")}
  --runtime   ${CHOICES.runtime.join(", ")}
  --database  ${CHOICES.database.join(", ")}; by default ${DEFAULTS.database}
  --yes       use the defaults instead of asking:
              ${DEFAULTS.folder}, ${DEFAULTS.template}, ${DEFAULTS.runtime}
  --help      print this help`;

const OPTIONS = {
  template: { type: "string" },
  runtime: { type: "string" },
  database: { type: "string" },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Reads the arguments of the program.
 *
 * @throws {Error} If an option or a value is unknown.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = readArguments(args, OPTIONS, refusal);
  const { template, runtime, database } = values;
  const { yes = false, help = false } = values;
  if (typeof yes !== "boolean" || typeof help !== "boolean") {
    throw refusal('"--yes" and "--help" take no value');
  }
  const [folder, extra] = positionals;
  if (extra !== undefined) throw refusal(`"${extra}" is a second folder`);
  return {
    yes,
    help,
    ...folder !== undefined && { folder: checkFolder(folder) },
    ...template !== undefined && {
      template: choose("template", CHOICES.template, template),
    },
    ...runtime !== undefined && {
      runtime: choose("runtime", CHOICES.runtime, runtime),
    },
    ...database !== undefined && {
      database: choose("database", CHOICES.database, database),
    },
  };
}

/** Returns the folder, which must have a name. */
export function checkFolder(folder: string): string {
  if (folder.trim() === "") throw refusal("the name of the folder is empty");
  return folder;
}

/**
 * Returns the choices of a project.
 *
 * @throws {Error} If its template or its runtime has no such database.
 */
export function checkProject(project: Project): Project {
  if (project.database === "sqlite" || hasPostgres(project)) return project;
  throw refusal(
    "the database postgres needs the template login or saas, and not workers",
  );
}

/** Returns one of the values of an option. */
export function choose<Choice extends string>(
  option: string,
  choices: readonly Choice[],
  value: string | boolean,
): Choice {
  const choice = choices.find((choice) => choice === value);
  if (choice !== undefined) return choice;
  const given = typeof value === "string" ? ` "${value}"` : "";
  throw refusal(`the ${option}${given} is not one of ${choices.join(", ")}`);
}

function refusal(reason: string): Error {
  return new Error(`Cannot create project: ${reason}`);
}

function currentRuntime(): Project["runtime"] {
  const { versions } = process;
  if ("bun" in versions) return "bun";
  return "deno" in versions ? "deno" : "node";
}
