import { bunPath } from "../runtimes/bun.ts";
import { FAR_BEYOND } from "./_measure.ts";
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
process.exit(await bench.${call} ? 0 : ${FAR_BEYOND});`,
  );
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(path, script);
    console.log("\n## On Bun");
    const { code } = await new Deno.Command(bunPath(), {
      args: [path],
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    if (code !== 0 && code !== FAR_BEYOND) throw new Error(`${file} failed`);
    return code === 0;
  } finally {
    await Deno.remove(path);
  }
}
