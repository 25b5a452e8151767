/** Runs every benchmark of this folder, one after the other. */
const folder = import.meta.dirname!;

const files: string[] = [];
for await (const { name } of Deno.readDir(folder)) {
  if (name.endsWith("_bench.ts")) files.push(name);
}

let failed = false;
for (const file of files.sort()) {
  console.log(`\n# ${file}\n`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${folder}/${file}`, ...Deno.args],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  failed ||= !success;
}
Deno.exit(failed ? 1 : 0);
