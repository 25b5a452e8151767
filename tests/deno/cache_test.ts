import { assertEquals } from "@std/assert";
import { cached } from "../offline/cache.ts";

const CACHE = new URL("../offline/cache.ts", import.meta.url);

Deno.test("cached() fills a folder once for processes that start at once", async () => {
  const key = crypto.randomUUID();
  const started = await Deno.makeTempDir();
  const program = `import { cached } from ${JSON.stringify(CACHE.href)};
const started = ${JSON.stringify(started)};
await Deno.makeTempFile({ dir: started });
let filled = 0;
const folder = await cached("cache-test", ["${key}"], async (folder) => {
  filled++;
  while ([...Deno.readDirSync(started)].length < 3) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Deno.writeTextFile(folder + "/whole", "");
});
console.log(filled, [...Deno.readDirSync(folder)].length);`;
  const outputs = await Promise.all(Array.from({ length: 3 }, async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", program],
      stderr: "inherit",
    }).output();
    return new TextDecoder().decode(stdout).trim();
  }));
  await Deno.remove(started, { recursive: true });
  assertEquals(outputs.sort(), ["0 1", "0 1", "1 1"]);

  await remove(await cached("cache-test", [key], () => Promise.reject()));
});

Deno.test("cached() fills a folder again if the first attempt failed", async () => {
  const key = [crypto.randomUUID()];
  const failed = await cached("cache-test", key, async (folder) => {
    await Deno.writeTextFile(`${folder}/half`, "");
    throw new Error("full disk");
  }).catch(({ message }) => message);
  assertEquals(failed, "full disk");
  const folder = await cached("cache-test", key, async (folder) => {
    await Deno.writeTextFile(`${folder}/whole`, "");
  });
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assertEquals(names, ["whole"]);
  await remove(folder);
});

async function remove(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true });
  await Deno.remove(`${folder}.lock`);
}
