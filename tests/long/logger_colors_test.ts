/**
 * Colors in log lines, in terminals and pipes, with and without permissions.
 */
import { assert, assertEquals } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { findProgram } from "../deno/_servers.ts";

const script = findProgram("script", "the colors of a terminal");

type Environment = Readonly<Record<string, string>>;

const cases: [env: Environment, terminal: boolean, colored: boolean][] = [
  [{}, false, false],
  [{}, true, true],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  [{ TERM: "dumb" }, true, false],
];

for (const runtime of ["Deno", "Bun"] as const) {
  for (const [env, terminal, colored] of cases) {
    Deno.test({
      name: `logger() on ${runtime} ${
        colored ? "colours" : "leaves plain"
      } output to ${place(terminal)} with ${JSON.stringify(env)}`,
      ignore: terminal && script === null,
      async fn() {
        const output = await run(runtime, "logger()", { env, terminal });
        assertEquals(isColored(output), colored, output);
      },
    });
  }

  /** Other functions that print on the console, and other outputs. */
  const outputs: [call: string, terminal: boolean, colored: boolean][] = [
    ["logger({ output: batch })", false, false],
    ["logger({ output: batch })", true, true],
    ["logger({ output: console.log })", false, false],
    ["logger({ output: print })", false, true],
    ["logger({ output: print, colors: false })", false, false],
    ["logger({ colors: true })", false, true],
    ["logger({ colors: false })", true, false],
    ['logger({ format: "short" })', true, false],
  ];
  for (const [call, terminal, colored] of outputs) {
    Deno.test({
      name: `${call} on ${runtime} ${
        colored ? "colours" : "leaves plain"
      } output to ${place(terminal)}`,
      ignore: terminal && script === null,
      async fn() {
        const output = await run(runtime, call, { terminal });
        assertEquals(isColored(output), colored, output);
      },
    });
  }
}

Deno.test({
  name: "logger() requests no Deno permission to detect colors",
  ignore: script === null,
  async fn() {
    // In a terminal Deno would prompt and wait forever.
    const env = { FORCE_COLOR: "0", TERM: "dumb" };
    const options = { env, terminal: true, permissions: [] };
    const output = await run("Deno", "logger()", options);
    assertEquals(output.includes("permission"), false, output);
    assert(isColored(output), output);

    const off = { ...options, env: { NO_COLOR: "1" } };
    assertEquals(isColored(await run("Deno", "logger()", off)), false);
  },
});

function place(terminal: boolean): string {
  return terminal ? "a terminal" : "a pipe";
}

function isColored(output: string): boolean {
  assert(output.includes("404"), output);
  return output.includes("\x1b[33m404\x1b[0m");
}

interface RunOptions {
  readonly env?: Environment;
  /** `true` if it writes to a terminal, `false` for a pipe. */
  readonly terminal: boolean;
  readonly permissions?: readonly string[];
}

/** Returns the output of a program that logs one request. */
async function run(
  runtime: "Deno" | "Bun",
  call: string,
  { env = {}, terminal, permissions = ["-A"] }: RunOptions,
): Promise<string> {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/main.js`;
  const command = runtime === "Bun"
    ? [bunPath(), file]
    : [Deno.execPath(), "run", "--no-config", ...permissions, file];
  const kept = Object.fromEntries(
    ["PATH", "HOME", "DENO_DIR"]
      .map((name) => [name, Deno.env.get(name) ?? ""])
      .filter(([, value]) => value !== ""),
  );
  try {
    await Deno.writeTextFile(file, await programOf(call));
    const [program, ...args] = terminal
      ? [script!, "-qec", command.join(" "), "/dev/null"]
      : command;
    const { stdout } = await new Deno.Command(program, {
      args,
      env: { ...kept, TERM: "xterm", ...env },
      clearEnv: true,
      stdin: "null",
    }).output();
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

let library: Promise<string> | undefined;

/**
 * Bundles a program into one file, so that no runtime has to find the package.
 */
async function programOf(call: string): Promise<string> {
  library ??= bundle(`
import { createRouter } from "@gatehouse/web/fetch-router";
import { batchOutput, logger } from "@gatehouse/web/logger-middleware";
Object.assign(globalThis, { createRouter, batchOutput, logger });`);
  return `${await library}
{
  const { createRouter, batchOutput, logger } = globalThis;
  const batch = batchOutput();
  const print = (line) => console.log(line);
  const router = createRouter({ middleware: [${call}] });
  await router.fetch("https://example.com/");
  await batch.flush();
}
`;
}
