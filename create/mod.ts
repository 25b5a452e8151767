/**
 * A program that creates a new project: a server, its tests, settings with new
 * secrets, a Dockerfile and a workflow. It imports Node's modules, so run it
 * instead of importing it:
 *
 * ```sh
 * deno run -A jsr:@gatehouse/web/create my-app
 * ```
 *
 * `--help` prints its options. `create migrate` imports the accounts of another
 * system: see `create migrate --help`.
 *
 * @module
 */
import process from "node:process";
import { askFor } from "./_questions.ts";
import { HELP, parseCommandLine } from "./_command_line.ts";
import { writeProject } from "./_write_project.ts";
import { projectFiles, RUNTIMES } from "./project.ts";

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === "migrate") {
    const { migrate } = await import("./migrate/main.ts");
    return await migrate(args.slice(1));
  }
  const commandLine = parseCommandLine(args);
  if (commandLine.help) return console.log(HELP);
  const project = await askFor(commandLine);
  const { folder, template, runtime } = project;
  await writeProject(folder, (name) => projectFiles(name, project));
  const { title, commands } = RUNTIMES[runtime];
  const place = folder === "." ? [] : [`cd ${shellWord(folder)}`];
  console.log(`
Created ${shellWord(folder)}: the template "${template}" for ${title}. Next:

  ${[...place, ...commands].join("\n  ")}
`);
}

/** Quotes a path that a shell would split or expand. */
function shellWord(path: string): string {
  if (/^[\w./-]+$/.test(path)) return path;
  // Shells expand some characters within double quotes, which all systems know.
  return /["$`\\!\p{Cc}]/u.test(path)
    ? `'${path.replaceAll("'", "'\\''")}'`
    : `"${path}"`;
}
