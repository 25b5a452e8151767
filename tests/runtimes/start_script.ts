/**
 * Starts the example application on Bun or Node, for `deno task start:bun` and
 * `deno task start:node`.
 */
import { bunPath } from "./bun.ts";
import { bundleFile } from "./bundle.ts";
import { nodePath } from "./node.ts";
import { onEnd } from "./signals.ts";

const APP = new URL("../../examples/app/", import.meta.url);

const [runtime] = Deno.args;
const program = runtime === "node" ? await nodePath() : bunPath();
const folder = await Deno.makeTempDir();
const script = `${folder}/main.mjs`;
const main = new URL(`main_${runtime}.ts`, APP);
await Deno.writeTextFile(script, await bundleFile(main));

const child = new Deno.Command(program, {
  args: [script],
  cwd: APP,
  stdin: "null",
}).spawn();
onEnd((signal) => {
  try {
    child.kill(signal);
  } catch {
    // It has ended: a terminal sends SIGINT to both.
  }
});
const { code } = await child.status;
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
