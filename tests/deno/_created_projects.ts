/** Projects of `./create`, with this checkout as the published package. */
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { serveNpmRegistry } from "./_npm_registry.ts";
import {
  deno,
  freePort,
  serveCommand,
  type ServedProgram,
} from "./_programs.ts";
import { publishPackage, servePackage } from "./_registry.ts";
import { findProgram } from "./_servers.ts";

const ROOT = new URL("../../", import.meta.url);

/** The program that creates projects. */
const CREATE = new URL("create/mod.ts", ROOT).pathname;

export const TEMPLATES = ["minimal", "login", "api"] as const;
export type Template = typeof TEMPLATES[number];
export type Runtime = "deno" | "bun" | "node" | "workers";

/** Returns the runtimes that this system has. Two of them need npm. */
export function runtimes(): Runtime[] {
  const hasNode = NODE_VERSIONS.length > 0 &&
    findProgram("npm", "projects on Node and Workers") !== null;
  return ["deno", "bun", ...hasNode ? ["node", "workers"] as const : []];
}

/** The output of a program that has ended. */
export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for {@linkcode create}. */
export interface CreateOptions {
  /** The current folder. */
  readonly cwd: string;
  /**
   * The answers to its questions.
   *
   * @default {""}
   */
  readonly input?: string;
  /**
   * The command before the arguments.
   *
   * @default {Deno with the source}
   */
  readonly command?: readonly string[];
}

/** Runs the program that creates projects. */
export async function create(
  args: readonly string[],
  { cwd, input = "", command = [Deno.execPath(), "run", "-A", CREATE] }:
    CreateOptions,
): Promise<Output> {
  const [program = "", ...before] = command;
  const child = new Deno.Command(program, {
    args: [...before, ...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that asks nothing may end before it reads.
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** Reads all files of a folder, by path. */
export async function readFiles(
  root: string,
  folder = "",
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(`${root}/${folder}`)) {
    const path = folder + name;
    if (!isDirectory) {
      files.set(path, await Deno.readTextFile(`${root}/${path}`));
    } else {for (const [key, text] of await readFiles(root, `${path}/`)) {
        files.set(key, text);
      }}
  }
  return files;
}

/** A project in a temporary folder. */
export interface CreatedProject extends AsyncDisposable {
  readonly folder: string;
  /** Runs a command of the runtime to its end, such as `npm install`. */
  run(command: string): Promise<void>;
  /** Starts the server and waits until it listens. */
  serve(): Promise<ServedProgram>;
}

/** Creates a project, and installs its packages. */
export async function createProject(
  runtime: Runtime,
  template: Template,
): Promise<CreatedProject> {
  const parent = await Deno.realPath(await Deno.makeTempDir());
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(parent, { recursive: true }));
  const options = ["--template", template, "--runtime", runtime];
  const { code, stderr } = await create(["app", ...options], { cwd: parent });
  if (code !== 0) throw new Error(stderr);
  const folder = `${parent}/app`;
  const env: Record<string, string> = { NO_COLOR: "1", CI: "1" };
  if (runtime === "deno") {
    const registry = stack.use(servePackage(await publishPackage()));
    env.JSR_URL = registry.url;
    env.DENO_DIR = `${parent}/cache`;
    env.DENO_TLS_CA_STORE = "mozilla,system";
  } else {
    const registry = stack.use(await serveNpmRegistry());
    const npmrc = `@jsr:registry=${registry.url}\n`;
    await Deno.writeTextFile(`${folder}/.npmrc`, npmrc);
    const program = runtime === "bun" ? bunPath() : await nodePath();
    const bin = program.slice(0, program.lastIndexOf("/"));
    env.PATH = [bin, `${folder}/node_modules/.bin`, Deno.env.get("PATH")]
      .join(Deno.build.os === "windows" ? ";" : ":");
  }
  const run = async (command: string) => {
    const [program = "", ...args] = command.split(" ");
    await deno(args, { program, cwd: folder, env });
  };
  const resources = stack.move();
  return {
    folder,
    run,
    serve: () => serve(runtime, folder, env, run),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Starts the server with the command of the project's script. */
async function serve(
  runtime: Runtime,
  folder: string,
  env: Record<string, string>,
  run: (command: string) => Promise<void>,
): Promise<ServedProgram> {
  const port = freePort();
  const [program = "", ...args] = await startCommand(
    runtime,
    folder,
    port,
    run,
  );
  return await serveCommand(args, port, {
    program,
    cwd: folder,
    env: { ...env, PORT: String(port) },
  });
}

/** Returns the command of the script, without a shell that keeps signals. */
async function startCommand(
  runtime: Runtime,
  folder: string,
  port: number,
  run: (command: string) => Promise<void>,
): Promise<string[]> {
  if (runtime === "deno") {
    const { tasks } = JSON.parse(
      await Deno.readTextFile(`${folder}/deno.json`),
    );
    return tasks.start.split(" ");
  }
  const { scripts } = JSON.parse(
    await Deno.readTextFile(`${folder}/package.json`),
  );
  const script: string = runtime === "workers" ? scripts.dev : scripts.start;
  const commands = script.replaceAll("8787", String(port)).split(" && ");
  for (const command of commands.slice(0, -1)) await run(command);
  return commands.at(-1)!.split(" ");
}
