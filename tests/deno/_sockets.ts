/** Servers on the runtimes, and requests as they are written. */
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { serveLocally } from "./_serve.ts";

/** A server that runs, and how to stop it. */
export interface Running extends AsyncDisposable {
  readonly port: number;
}

/**
 * Sends one raw request and reads the response for a while.
 *
 * @param patience Milliseconds.
 */
export async function sendRaw(
  port: number,
  target: string,
  host: string,
  patience: number,
  method = "GET",
): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), patience);
  let answer = "";
  try {
    const text =
      `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(text));
    const decoder = new TextDecoder();
    for await (const chunk of connection.readable) {
      answer += decoder.decode(chunk, { stream: true });
    }
    return answer;
  } catch {
    // One runtime neither answers a malformed request nor hangs up.
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Serves on Deno, in this process. */
export function serveOnDeno(handler: Deno.ServeHandler): Promise<Running> {
  const server = serveLocally(handler);
  return Promise.resolve({
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

/**
 * Runs a script on Bun that serves and then prints its port.
 *
 * @param module The module that the script finds its names in.
 */
export async function serveOnBun(
  module: string,
  script: string,
): Promise<Running> {
  return await serveScript(bunPath(), await inOne(module, script));
}

/** Returns a module that serves `fetch` on Node and prints its port. */
export const NODE_SERVERS = {
  "srvx": `import { serve } from "npm:srvx@1.0.8/node";
const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  silent: true,
  fetch: (request) => fetch(request, request.runtime),
});
await server.ready();
console.log(new URL(server.url).port);`,
  "@hono/node-server": `import { serve } from "npm:@hono/node-server@2.1.9";
serve({ hostname: "127.0.0.1", port: 0, fetch }, ({ port }) => {
  console.log(port);
});`,
} as const;

/**
 * Serves on Node.
 *
 * @param script It defines `fetch`.
 */
export async function serveOnNode(
  script: string,
  server: keyof typeof NODE_SERVERS = "srvx",
): Promise<Running> {
  const source = `${script}\n${NODE_SERVERS[server]}`;
  return await serveScript(await nodePath(), await bundle(source));
}

/** Runs a script that serves and then prints its port. */
async function serveScript(program: string, script: string): Promise<Running> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.mjs`, script);
  const child = new Deno.Command(program, {
    args: ["main.mjs"],
    cwd: folder,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    port: Number(new TextDecoder().decode(value)),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      while (!(await reader.read()).done);
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Runs a Worker whose script finds its names in a module. */
export async function serveOnWorkerd(
  module: string,
  script: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Running> {
  const bundled = await inOne(module, script);
  const worker = await startWorker({ script: bundled, ...options });
  return {
    port: Number(worker.url.port),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

/**
 * Returns a function per runtime that starts the application of a module.
 *
 * @param module It exports `createApp`, which makes a router.
 */
export function runtimesOf(
  module: string,
): Readonly<Record<string, () => Promise<Running>>> {
  return {
    "Deno.serve": async () => {
      const { createApp } = await import(module);
      return await serveOnDeno(createApp().fetch);
    },
    "Bun.serve": () =>
      serveOnBun(
        module,
        `const { fetch } = createApp();
console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }).port);`,
      ),
    ...NODE_VERSIONS.length === 0 ? {} : {
      "Node": () =>
        serveOnNode(
          `import { createApp } from "${module}";\nconst { fetch } = createApp();`,
        ),
    },
    "workerd": () => serveOnWorkerd(module, `export default createApp();`),
  };
}

/** Bundles a module and a script for runtimes without Deno. */
async function inOne(module: string, script: string): Promise<string> {
  return `${await bundle(`export * from "${module}";`)}\n${script}`;
}
