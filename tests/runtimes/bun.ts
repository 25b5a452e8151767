import { createRequire } from "node:module";
import "npm:bun@1.4.5/package.json" with { type: "json" };
import type { Bundle } from "./bundle.ts";
import type { Result } from "./collect.ts";

/** Runs the bundle in one process of Bun. */
export async function runInBun({ files, script }: Bundle): Promise<Result[]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/bundle.js`, script);
    await Deno.writeTextFile(`${folder}/main.js`, mainSource(files));
    const { stdout, stderr } = await new Deno.Command(bunPath(), {
      args: ["main.js"],
      cwd: folder,
    }).output();
    const results = await Deno.readTextFile(`${folder}/results.json`)
      .catch(() => null);
    if (results !== null) return JSON.parse(results);
    const decoder = new TextDecoder();
    throw new Error(
      `Bun did not finish\n${decoder.decode(stdout)}${decoder.decode(stderr)}`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts `main.js` of a folder, whose output can be read. */
export function startInBun(folder: string): Deno.ChildProcess {
  return new Deno.Command(bunPath(), {
    args: ["main.js"],
    cwd: folder,
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

/** Results go to a file, for tests may write to the standard output. */
function mainSource(files: readonly string[]): string {
  return `import worker from "./bundle.js";
const results = [];
for (const file of ${JSON.stringify(files)}) {
  const request = new Request(new URL(file, "http://localhost/"));
  results.push(...await (await worker.fetch(request)).json());
}
await Bun.write("results.json", JSON.stringify(results));
process.exit(0);`;
}

/**
 * Returns the program inside the npm package, whose install script did not run.
 */
export function bunPath(): string {
  const { os, arch } = Deno.build;
  const platform = `${os}-${arch === "x86_64" ? "x64" : arch}`;
  const program = os === "windows" ? "bun.exe" : "bun";
  return createRequire(import.meta.resolve("npm:bun@1.4.5/package.json"))
    .resolve(`@oven/bun-${platform}/bin/${program}`);
}
