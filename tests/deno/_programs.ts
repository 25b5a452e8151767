import { tmpdir } from "node:os";
import { assert } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { until, withinMinute } from "../_wait.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const ROOT = new URL("../../", import.meta.url);
const STOPPED_CLOCK = import.meta.resolve("./_stopped_clock.ts");

/** A running server program. */
export interface ServedProgram extends AsyncDisposable {
  /** Its address, such as `http://localhost:41234`. */
  readonly origin: string;
  /** Returns the output so far. */
  readonly output: () => string;
  /**
   * Waits until the output matches a pattern. Throws an error with the output if the
   * program ends before, or after a minute.
   */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** A program in a separate folder that imports this checkout as the package. */
export interface ProgramFile extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  /** A `deno.json` that resolves the package's entries. */
  readonly config: string;
}

/** Returns a `deno.json` that resolves the package to this checkout. */
export function checkoutConfig(): string {
  const imports: Record<string, string> = { ...config.imports };
  for (const [entry, file] of Object.entries(config.exports)) {
    imports[config.name + entry.slice(1)] = new URL(file, ROOT).href;
  }
  return JSON.stringify({ imports, lock: false });
}

/** Writes a program to a file. */
export async function programFile(program: string): Promise<ProgramFile> {
  const folder = await makeDataFolder();
  const path = `${folder}/main.ts`;
  await Deno.writeTextFile(path, program);
  await Deno.writeTextFile(`${folder}/deno.json`, checkoutConfig());
  return {
    folder,
    path,
    config: `${folder}/deno.json`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Options for {@linkcode serveProgram}. */
export interface ServeProgramOptions {
  /**
   * The port on 127.0.0.1.
   *
   * @default {a free port}
   */
  readonly port?: number;
  /**
   * Additional environment variables.
   *
   * @default {{}}
   */
  readonly env?: Record<string, string>;
  /**
   * `true` to stop the clock of the program, so that no delay of a throttle ends
   * during a test.
   *
   * @default {false}
   */
  readonly isClockStopped?: boolean;
}

/** Runs a program in Deno on a port and waits until it responds. */
export async function serveProgram(
  program: string,
  { port = freePort(), env = {}, isClockStopped = false }: ServeProgramOptions =
    {},
): Promise<ServedProgram> {
  const file = await programFile(program);
  const clock = isClockStopped ? ["--preload", STOPPED_CLOCK] : [];
  const options = ["--no-check", "-A", ...clock, "--config", file.config];
  const args = ["run", ...options, file.path];
  const server = await serveCommand(args, port, {
    env: { ...env, DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` },
    cwd: file.folder,
  });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}

/** Options for {@linkcode serveCommand}. */
export interface ServeCommandOptions extends Deno.CommandOptions {
  /**
   * The executable.
   *
   * @default {Deno}
   */
  readonly program?: string;
}

/** Starts a command that listens on a port, and waits until it does. */
export async function serveCommand(
  args: readonly string[],
  port: number,
  { program = Deno.execPath(), ...options }: ServeCommandOptions = {},
): Promise<ServedProgram> {
  const child = new Deno.Command(program, {
    ...options,
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const reading = Promise.all([child.stdout, child.stderr].map(async (pipe) => {
    for await (const text of pipe.pipeThrough(new TextDecoderStream())) {
      output += text;
    }
  }));
  let hasEnded = false;
  reading.then(() => hasEnded = true);
  const server: ServedProgram = {
    origin: `http://localhost:${port}`,
    output: () => output,
    async printed(pattern) {
      const found = until(() => hasEnded || pattern.test(output));
      await withinMinute(found, () => `${pattern} was not printed:\n${output}`);
      const match = pattern.exec(output);
      assert(match, `The program has ended without ${pattern}:\n${output}`);
      return match;
    },
    async [Symbol.asyncDispose]() {
      try {
        child.kill();
      } catch {
        // It has already ended.
      }
      await child.status;
      await reading;
    },
  };
  if (await opens(port, child.status)) return server;
  await server[Symbol.asyncDispose]();
  throw new Error(`The program does not listen:\n${output}`);
}

/** Waits until a program listens on a port, or ends. */
async function opens(
  port: number,
  end: Promise<Deno.CommandStatus>,
): Promise<boolean> {
  let hasEnded = false;
  end.then(() => hasEnded = true);
  const opened = until(async () => hasEnded || await accepts(port));
  await withinMinute(opened, () => `Nothing listens on port ${port}`);
  return !hasEnded;
}

/** Waits until a server accepts connections on a port of 127.0.0.1. */
export async function listening(port: number): Promise<void> {
  const accepted = until(() => accepts(port));
  await withinMinute(accepted, () => `Nothing listens on port ${port}`);
}

/** Returns `true` if a server accepts connections on a port of 127.0.0.1. */
export async function accepts(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ port, hostname: "127.0.0.1" });
    return true;
  } catch {
    return false;
  }
}

/** Runs Deno to its end. Throws an error with its output if it fails. */
export async function deno(
  args: readonly string[],
  { program = Deno.execPath(), ...options }: ServeCommandOptions = {},
): Promise<void> {
  const { success, stderr, stdout } = await new Deno.Command(program, {
    ...options,
    args: [...args],
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stdout) + decoder.decode(stderr));
}

/**
 * Bundles a program for Bun and Workers, without the modules that they provide.
 */
export async function bundleProgram(
  { config, folder }: ProgramFile,
  main: string,
): Promise<string> {
  const output = `${folder}/bundle.js`;
  const externals = ["bun", "bun:sqlite", "cloudflare:workers"]
    .map((name) => `--external=${name}`);
  const options = ["--platform=browser", "--config", config, ...externals];
  await deno(["bundle", ...options, "-o", output, main]);
  return await Deno.readTextFile(output);
}

/** The network, as the target of a test client. */
export const overHTTP = {
  fetch: (request: Request): Promise<Response> =>
    fetch(request, { redirect: "manual" }),
};

/** The ports that tests on this machine have picked, each as an empty file. */
export const PICKED_PORTS = `${tmpdir()}/gatehouse_test_ports`;

/** A test has ended after this time, in milliseconds. */
const PICKED_TIME = 15 * 60 * 1000;

/**
 * Finds a free port below those that systems give to outgoing connections, which
 * could take it before the server does. No other test of this machine gets it.
 */
export function freePort(): number {
  Deno.mkdirSync(PICKED_PORTS, { recursive: true });
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (!pick(`${PICKED_PORTS}/${port}`)) continue;
    try {
      Deno.listen({ port, hostname: "127.0.0.1" }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Creates the file of a port. Returns `false` if it exists. */
function pick(file: string): boolean {
  try {
    Deno.openSync(file, { write: true, createNew: true }).close();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  try {
    const { mtime } = Deno.statSync(file);
    // The port is free again, for a later pick.
    if (mtime!.getTime() < Date.now() - PICKED_TIME) Deno.removeSync(file);
  } catch (error) {
    // Another process has just removed it.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}
