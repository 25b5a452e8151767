import type { Bundle } from "./bundle.ts";
import type { Result } from "./collect.ts";
import { makeDataFolder } from "./data_folder.ts";

/** Later dates switch Node's modules on by themselves. */
export const COMPATIBILITY_DATE = "2026-07-01";

/** A Worker that serves on the loopback interface. */
export interface Worker extends AsyncDisposable {
  /** The address of the server. */
  readonly url: URL;
}

/** Runs the bundle in workerd, one request per file of tests. */
export async function runInWorkers(
  { files, script }: Bundle,
): Promise<Result[]> {
  // Authorization servers need the flag to fetch documents of clients.
  const compatibilityFlags = ["global_fetch_strictly_public"];
  await using worker = await startWorker({ script, compatibilityFlags });
  // workerd can close an idle connection while the next request is on its way.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const results: Result[] = [];
  for (const file of files) {
    const response = await fetch(new URL(file, worker.url), { client });
    results.push(...await response.json() as Result[]);
  }
  return results;
}

/**
 * Starts a Worker with Miniflare's options, such as `script` for an ES module,
 * without any Node compatibility.
 *
 * Miniflare runs in a separate process. It leaves timers and file deletions
 * behind, which would count as leaks of the next test.
 */
export async function startWorker(
  options: Readonly<Record<string, unknown>>,
): Promise<Worker> {
  const folder = await makeDataFolder();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${import.meta.dirname}/miniflare.ts`],
    // Miniflare does not remove its folders there.
    env: { TMPDIR: folder },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const compatibilityDate = COMPATIBILITY_DATE;
  const line = { modules: true, compatibilityDate, ...options };
  await input.write(new TextEncoder().encode(JSON.stringify(line) + "\n"));
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  return {
    url: await listeningAt(output),
    async [Symbol.asyncDispose]() {
      await input.close();
      while (!(await output.read()).done);
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function listeningAt(
  output: ReadableStreamDefaultReader<string>,
): Promise<URL> {
  let text = "";
  while (true) {
    const { value, done } = await output.read();
    if (done) throw new Error(`workerd does not serve\n${text}`);
    text += value;
    const [, url] = /^Listening on (\S+)\n/m.exec(text) ?? [];
    if (url !== undefined) return new URL(url);
  }
}
