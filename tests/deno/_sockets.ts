/** Servers on the runtimes, and requests as they are written. */
import { bunPath } from "../runtimes/bun.ts";
import { startWorker } from "../runtimes/workers.ts";

/** A server that runs, and how to stop it. */
export interface Running extends AsyncDisposable {
  readonly port: number;
}

/**
 * Sends one request as it is written, and reads what comes within a while.
 *
 * @param patience Milliseconds.
 */
export async function sendRaw(
  port: number,
  target: string,
  host: string,
  patience: number,
): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), patience);
  let answer = "";
  try {
    const text =
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
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
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    handler,
  );
  return Promise.resolve({
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

/** Runs a script on Bun that serves and then prints its port. */
export async function serveOnBun(script: string): Promise<Running> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.js`, script);
  const child = new Deno.Command(bunPath(), {
    args: ["main.js"],
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

/** Runs a Worker. */
export async function serveOnWorkerd(script: string): Promise<Running> {
  const worker = await startWorker({ script });
  return {
    port: Number(worker.url.port),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
