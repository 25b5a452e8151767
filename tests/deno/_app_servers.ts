/** Runs the example application in a separate process, on each runtime. */
import config from "../../deno.json" with { type: "json" };
import { NODE_VERSIONS } from "../runtimes/node.ts";
import { freePort } from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);

/** The tasks that start the application, by runtime. */
export const TASKS = {
  "Deno": "start",
  "Bun": "start:bun",
  "Node": "start:node",
  "Workers": "start:worker",
} as const;

/** A runtime that the application runs on. */
export type Runtime = keyof typeof TASKS;

/** Returns the runtimes that this system has. */
export function runtimes(): Runtime[] {
  return (Object.keys(TASKS) as Runtime[])
    .filter((runtime) => runtime !== "Node" || NODE_VERSIONS.length > 0);
}

/** A running application. */
export interface ServedApp {
  /** Its address, such as `http://localhost:41234`. */
  readonly baseURL: string;
  /** The address of the demo identity provider. */
  readonly issuer: string;
}

/** The application in a separate process. */
export interface AppProcess extends ServedApp, AsyncDisposable {
  /** The admin of the new database, from the output. */
  readonly admin: { readonly email: string; readonly password: string };
  /** Returns the output so far. */
  output(): string;
}

/** Runs the task of a runtime until the application is open. */
export async function startApp(
  runtime: Runtime,
  env: Record<string, string>,
): Promise<AppProcess> {
  const ports = { PORT: String(freePort()), DEMO_PORT: String(freePort()) };
  const { command } = config.tasks[TASKS[runtime]];
  const [deno, ...args] = command.split(" && ").at(-1)!.split(" ");
  if (deno !== "deno") throw new Error(`Unknown task: ${command}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: [args[0], "--no-check", ...args.slice(1)],
    cwd: ROOT,
    env: { ...ports, NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const open = Promise.withResolvers<void>();
  const ended = Promise.all([child.stdout, child.stderr].map(async (pipe) => {
    for await (const text of pipe.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (output.includes("is open")) open.resolve();
    }
  })).then(() => open.reject(new Error(`It did not start:\n${output}`)));
  await open.promise;
  return {
    baseURL: `http://localhost:${ports.PORT}`,
    issuer: `http://127.0.0.1:${ports.DEMO_PORT}`,
    get admin() {
      const [, email, password] = /admin +(\S+) +(\S+)/.exec(output)!;
      return { email, password };
    },
    output: () => output,
    async [Symbol.asyncDispose]() {
      await end(child);
      await child.status;
      await ended;
    },
  };
}

/** Ends a process and its child processes. */
async function end(child: Deno.ChildProcess): Promise<void> {
  if (Deno.build.os !== "windows") return child.kill("SIGTERM");
  const args = ["/T", "/F", "/PID", String(child.pid)];
  await new Deno.Command("taskkill", { args }).output();
}
