import type { Bundle } from "./bundle.ts";
import type { Result } from "./collect.ts";

/** Runs the bundle in one process of Bun or Node. */
export async function runAsScript(
  program: string,
  { files, script }: Bundle,
): Promise<Result[]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/bundle.mjs`, script);
    await Deno.writeTextFile(`${folder}/main.mjs`, mainSource(files));
    const { stdout, stderr } = await new Deno.Command(program, {
      args: ["main.mjs"],
      cwd: folder,
    }).output();
    const results = await Deno.readTextFile(`${folder}/results.json`)
      .catch(() => null);
    if (results !== null) return JSON.parse(results);
    const decoder = new TextDecoder();
    throw new Error(
      `${program} did not finish\n${decoder.decode(stdout)}${
        decoder.decode(stderr)
      }`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Results go to a file, because tests may write to the standard output. */
function mainSource(files: readonly string[]): string {
  return `import { writeFileSync } from "node:fs";
import worker from "./bundle.mjs";
${GLOBAL_EVENTS}
const results = [];
for (const file of ${JSON.stringify(files)}) {
  const request = new Request(new URL(file, "http://localhost/"));
  results.push(...await (await worker.fetch(request)).json());
}
writeFileSync("results.json", JSON.stringify(results));
process.exit(0);`;
}

/** Node reports unhandled rejections only on `process`. */
const GLOBAL_EVENTS = `if (globalThis.addEventListener === undefined) {
  const events = new EventTarget();
  globalThis.addEventListener = events.addEventListener.bind(events);
  globalThis.removeEventListener = events.removeEventListener.bind(events);
  process.on("unhandledRejection", (reason, promise) => {
    const event = new Event("unhandledrejection", { cancelable: true });
    if (events.dispatchEvent(Object.assign(event, { reason, promise }))) {
      throw reason;
    }
  });
}`;
