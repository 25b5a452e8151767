import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { NODE_VERSIONS, nodePath, programOf } from "../runtimes/node.ts";
import { COMPATIBILITY_DATE } from "../runtimes/workers.ts";
import { SERVE } from "./_serve_race.ts";

/** The router, called by a function that passes the request only. */
export const WRAPPED = "gatehouse in a function";

/** The router behind five middleware that an API has. */
export const ENTRIES = "five entries of the API floor";

/** A server that runs any of the applications. */
export interface ServeRuntime {
  /** The name in titles. */
  readonly name: string;
  /**
   * Returns the command that serves an application.
   *
   * @param args Its name, the number of its middleware, and their form.
   */
  readonly command: (args: readonly string[]) => Promise<readonly string[]>;
}

/**
 * Prepares the servers of the runtimes: Deno and Bun, and on Linux also Node and
 * workerd.
 *
 * @param folder A folder for their programs.
 */
export async function serveRuntimes(folder: string): Promise<ServeRuntime[]> {
  const path = `${folder}/server.mjs`;
  const source = `${applicationSource()}\n${SERVE}`;
  await Deno.writeTextFile(path, await bundle(source));
  const program = (name: string, ...start: string[]): ServeRuntime => ({
    name,
    command: (args) => Promise.resolve([...start, ...args]),
  });
  const runtimes = [
    program("Deno.serve", Deno.execPath(), "run", "--allow-all", path),
    program("Bun.serve", bunPath(), path),
  ];
  if (NODE_VERSIONS.length === 0) return runtimes;
  const node = await nodePath();
  const worker = await bundle(
    `${applicationSource()}\nexport default { fetch };`,
  );
  return [
    ...runtimes,
    program("srvx on Node", node, path, "srvx"),
    program("@hono/node-server on Node", node, path, "@hono/node-server"),
    { name: "workerd", command: (args) => workerCommand(folder, worker, args) },
  ];
}

/** Defines `fetch`, for arguments that end with those of an application. */
function applicationSource(): string {
  const module = new URL("_dispatch.ts", import.meta.url).href;
  const entriesModule = new URL("_entries.ts", import.meta.url).href;
  return `import { applications } from ${JSON.stringify(module)};
import { createEntries } from ${JSON.stringify(entriesModule)};
const args = globalThis.benchArguments ?? process.argv.slice(2);
const [name, middleware, form] = args.slice(-3);
const isWrapped = name === ${JSON.stringify(WRAPPED)};
const handle = name === ${JSON.stringify(ENTRIES)}
  ? createEntries()
  : applications[isWrapped ? "gatehouse" : name](Number(middleware), form);
const fetch = isWrapped ? (request) => handle(request) : handle;`;
}

/**
 * Returns the command of workerd for a bundle, without Miniflare: its server is one more
 * worker in front of the application.
 */
export async function workerCommand(
  folder: string,
  script: string,
  args: readonly string[],
): Promise<readonly string[]> {
  const name = args.join("-").replaceAll(/\W/g, "_");
  // Workers have no arguments.
  const source = `globalThis.benchArguments = ${JSON.stringify(args)};
${script}`;
  await Deno.writeTextFile(`${folder}/${name}.js`, source);
  const config = `${folder}/${name}.capnp`;
  await Deno.writeTextFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "main.js", esModule = embed "${name}.js")],
    compatibilityDate = "${COMPATIBILITY_DATE}",
  ))],
  sockets = [(name = "main", address = "127.0.0.1:0", http = (), service = "main")],
);`,
  );
  const program = await programOf(
    "npm:@cloudflare/workerd-linux-64@1.20260730.1/package.json",
    "bin/workerd",
  );
  // It writes the port to the file descriptor of stderr.
  return [program, "serve", "--control-fd=2", config];
}
