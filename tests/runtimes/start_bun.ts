/** Starts the example application on Bun, for `deno task start:bun`. */
import { bunPath } from "./bun.ts";
import { bundleFile } from "./bundle.ts";
import { onEnd } from "./signals.ts";

const APP = new URL("../../examples/app/", import.meta.url);

const folder = await Deno.makeTempDir();
const script = `${folder}/main.js`;
await Deno.writeTextFile(script, await bundleFile(new URL("main_bun.ts", APP)));

const bun = new Deno.Command(bunPath(), {
  args: [script],
  cwd: APP,
  stdin: "null",
}).spawn();
onEnd((signal) => {
  try {
    bun.kill(signal);
  } catch {
    // It has ended: a terminal sends SIGINT to both.
  }
});
const { code } = await bun.status;
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
