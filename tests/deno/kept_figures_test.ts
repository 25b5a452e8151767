/** Figures in the documentation are those that programs wrote. */
import { assert } from "@std/assert";
import { filesOf, readTables } from "../bench/_pages.ts";
import { deno } from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("pages and charts show the results of the last benchmarks", async () => {
  const tables = await readTables();
  const texts = [...filesOf(tables)];
  const formatted = await format(texts);
  const kept = await Promise.all(
    texts.map(([path]) => Deno.readTextFile(new URL(path, ROOT))),
  );
  const others = formatted.filter((text, index) => text !== kept[index]);
  assert(others.length === 0, "deno run -A tests/bench/_pages.ts");
});

/** Formats files by the ends of their paths. */
async function format(
  texts: readonly (readonly [path: string, text: string])[],
): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const files = texts.map(([path], index) =>
      `${folder}/${index}${path.slice(path.lastIndexOf("."))}`
    );
    for (const [index, [, text]] of texts.entries()) {
      await Deno.writeTextFile(files[index], text);
    }
    await deno(["fmt", ...files]);
    return await Promise.all(files.map((file) => Deno.readTextFile(file)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
