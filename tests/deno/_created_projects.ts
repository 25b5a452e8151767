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

export const TEMPLATES = ["minimal", "login", "saas", "api"] as const;
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

/** A place for the projects of one runtime, which share their packages. */
export interface Workplace extends AsyncDisposable {
  /** Creates a project, which must be disposed of before the next one. */
  create(template: Template, database?: string): Promise<CreatedProject>;
}

/** A project in a temporary folder. */
export interface CreatedProject extends AsyncDisposable {
  readonly folder: string;
  /** `true` if a project with the same dependencies has installed them. */
  readonly isInstalled: boolean;
  /** Runs a command of the runtime to its end, such as `npm install`. */
  run(command: string): Promise<void>;
  /** Starts the server and waits until it listens. */
  serve(env?: Record<string, string>): Promise<ServedProgram>;
}

/** Creates a place for projects, with a registry of this package. */
export async function createWorkplace(runtime: Runtime): Promise<Workplace> {
  const parent = await Deno.realPath(await Deno.makeTempDir());
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(parent, { recursive: true }));
  const folder = `${parent}/app`;
  const env: Record<string, string> = { NO_COLOR: "1", CI: "1" };
  let npmrc: string | undefined;
  if (runtime === "deno") {
    const registry = stack.use(servePackage(await publishPackage()));
    env.JSR_URL = registry.url;
    env.DENO_DIR = `${parent}/cache`;
    env.DENO_TLS_CA_STORE = "mozilla,system";
  } else {
    const registry = stack.use(await serveNpmRegistry());
    npmrc = `@jsr:registry=${registry.url}\n`;
    const program = runtime === "bun" ? bunPath() : await nodePath();
    const bin = program.slice(0, program.lastIndexOf("/"));
    env.PATH = [bin, `${folder}/node_modules/.bin`, Deno.env.get("PATH")]
      .join(Deno.build.os === "windows" ? ";" : ":");
  }
  const resources = stack.move();
  return {
    create: (template, database = "sqlite") =>
      createProject(runtime, template, { database, folder, env, npmrc }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Settings {
  readonly database: string;
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly npmrc: string | undefined;
}

/** Creates a project. It leaves its packages to the next one. */
async function createProject(
  runtime: Runtime,
  template: Template,
  { database, folder, env, npmrc }: Settings,
): Promise<CreatedProject> {
  const options = ["--template", template, "--runtime", runtime]
    .concat("--database", database);
  const { code, stderr } = await create(["app", ...options], {
    cwd: `${folder}/..`,
  });
  if (code !== 0) throw new Error(stderr);
  if (npmrc !== undefined) await Deno.writeTextFile(`${folder}/.npmrc`, npmrc);
  const isInstalled = await takePackages(folder);
  const run = async (command: string) => {
    const [program = "", ...args] = command.split(" ");
    await deno(args, { program, cwd: folder, env });
  };
  return {
    folder,
    isInstalled,
    run,
    serve: (own = {}) => serve(runtime, folder, { ...env, ...own }, run),
    async [Symbol.asyncDispose]() {
      await leavePackages(folder);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const INSTALLED = ["package.json", "node_modules"];

/** Takes the packages of the project before, if both depend on the same. */
async function takePackages(folder: string): Promise<boolean> {
  const [own, last] = await Promise.all(
    [folder, `${folder}/../last`].map((folder) =>
      Deno.readTextFile(`${folder}/package.json`).catch(() => null)
    ),
  );
  if (own === null || own !== last) return false;
  for (const name of INSTALLED) {
    await Deno.rename(`${folder}/../last/${name}`, `${folder}/${name}`);
  }
  return true;
}

/** Leaves the packages of a project to the next one. */
async function leavePackages(folder: string): Promise<void> {
  const last = `${folder}/../last`;
  await Deno.remove(last, { recursive: true }).catch(() => {});
  await Deno.mkdir(last);
  for (const name of INSTALLED) {
    // Projects on Deno have neither.
    await Deno.rename(`${folder}/${name}`, `${last}/${name}`).catch(() => {});
  }
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
    env: { ...env, PORT: String(port), ORIGIN: `http://localhost:${port}` },
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
