import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";

/**
 * Runs a benchmark on Bun.
 *
 * @param file The module, without any use of Deno.
 * @param call A call of one of its exports that resolves to whether it holds.
 * @returns `true` if it holds.
 */
export async function benchOnBun(file: URL, call: string): Promise<boolean> {
  const script = await bundle(
    `import * as bench from ${JSON.stringify(file.href)};
if (!await bench.${call}) process.exit(1);
process.exit(0);`,
  );
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(path, script);
    console.log("\n## On Bun");
    const { success } = await new Deno.Command(bunPath(), {
      args: [path],
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    return success;
  } finally {
    await Deno.remove(path);
  }
}
