import type { Bundle } from "./bundle.ts";
import type { Result } from "./collect.ts";

/**
 * Collects the names of the bundle's tests on Deno. It uses a separate process,
 * because the collector removes `Deno`. They run as test files do.
 */
export async function listOnDeno({ files, script }: Bundle): Promise<Result[]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/bundle.js`, script);
    await Deno.writeTextFile(`${folder}/main.js`, mainSource(files));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "main.js"],
      cwd: folder,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(await Deno.readTextFile(`${folder}/results.json`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function mainSource(files: readonly string[]): string {
  return `import worker from "./bundle.js";
const { writeTextFile } = Deno;
delete globalThis.Deno;
const results = [];
for (const file of ${JSON.stringify(files)}) {
  const request = new Request(new URL(file + "?list", "http://localhost/"));
  results.push(...await (await worker.fetch(request)).json());
}
await writeTextFile("results.json", JSON.stringify(results));`;
}
