import process from "node:process";
import { createInterface } from "node:readline";
import {
  checkFolder,
  checkProject,
  CHOICES,
  choose,
  type CommandLine,
  DEFAULTS,
} from "./_command_line.ts";
import type { Project } from "./project.ts";

/**
 * Asks for the choices that are missing on the command line. The database has a
 * default instead.
 *
 * @throws {Error} If the input ends before all questions are answered, or the
 * choices do not fit.
 */
export async function askFor(commandLine: CommandLine): Promise<Project> {
  return checkProject(await answersOf(commandLine));
}

async function answersOf(commandLine: CommandLine): Promise<Project> {
  const { help: _, yes, ...given } = commandLine;
  if (yes) return { ...DEFAULTS, ...given };
  const { folder, template, runtime, database = DEFAULTS.database } = given;
  if (folder !== undefined && template !== undefined && runtime !== undefined) {
    return { folder, template, runtime, database };
  }
  const terminal = createInterface({ input: process.stdin });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return {
      folder: folder ??
        await ask(lines, "folder", DEFAULTS.folder, checkFolder),
      template: template ??
        await askChoice(lines, "template", CHOICES.template),
      runtime: runtime ?? await askChoice(lines, "runtime", CHOICES.runtime),
      database,
    };
  } finally {
    terminal.close();
  }
}

function askChoice<Name extends keyof typeof CHOICES>(
  lines: AsyncIterator<string>,
  name: Name,
  choices: readonly Project[Name][],
): Promise<Project[Name]> {
  const question = `${name}: ${choices.join(", ")}`;
  const parse = (answer: string) => choose(name, choices, answer);
  return ask<Project[Name]>(lines, question, DEFAULTS[name], parse);
}

/** Asks until the answer is valid. An empty answer is the default. */
async function ask<Value extends string>(
  lines: AsyncIterator<string>,
  question: string,
  byDefault: Value,
  parse: (answer: string) => Value,
): Promise<Value> {
  while (true) {
    process.stdout.write(`${question} (${byDefault}) `);
    const { value, done } = await lines.next();
    if (done) {
      throw new Error(
        "\nCannot create project: the input ended, use --template, --runtime and a folder, or --yes",
      );
    }
    const answer = value.trim();
    if (answer === "") return byDefault;
    try {
      return parse(answer);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  }
}
