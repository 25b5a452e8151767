/** Figures in the documentation are those that programs wrote. */
import { assert, assertEquals } from "@std/assert";
import { filesOf, readTables, summaryOf } from "../bench/_pages.ts";
import { ENTRIES, readPage } from "./_bundle_sizes.ts";
import { deno } from "./_programs.ts";
import { readPart } from "./_readme.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("pages, charts and the README show the results of the last benchmarks", async () => {
  const tables = await readTables();
  const texts = [...filesOf(tables)];
  const formatted = await format([...texts, ["part.md", summaryOf(tables)]]);
  const kept = await Promise.all(
    texts.map(([path]) => Deno.readTextFile(new URL(path, ROOT))),
  );
  kept.push(await readPart("speed") + "\n");
  const others = formatted.filter((text, index) => text !== kept[index]);
  assert(others.length === 0, "deno run -A tests/bench/_pages.ts");
});

Deno.test("the README shows the sizes of docs/bundle_sizes.md", async () => {
  const cells = (await readPart("sizes")).split("|").map((cell) => cell.trim());
  for (const [entry, [, gzipped]] of await readPage()) {
    const name = entry === "." ? "@gatehouse/web" : entry.slice(2);
    assertEquals(cells[cells.indexOf(name) + 1], gzipped.toFixed(1), entry);
  }
  const sizes = cells.filter((cell) => /^[\d.]+$/.test(cell));
  assertEquals(sizes.length, ENTRIES.length);
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
