/** The form of the pages in `docs/decisions/`. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileLinks } from "./_markdown.ts";

const FOLDER = new URL("../../docs/decisions/", import.meta.url);

const names = (await Array.fromAsync(Deno.readDir(FOLDER)))
  .map(({ name }) => name)
  .filter((name) => name !== "README.md")
  .sort();

Deno.test("the index of the decisions links every decision once", async () => {
  const index = await Deno.readTextFile(new URL("README.md", FOLDER));
  assertEquals(fileLinks(index).sort(), names);
});

Deno.test("every decision has its title of the index, a date and alternatives", async () => {
  const index = await Deno.readTextFile(new URL("README.md", FOLDER));
  for (const name of names) {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const [heading, date] = text.split("\n\n");
    assert(heading!.startsWith("# "), name);
    assert(index.includes(`[${heading!.slice(2)}](${name})`), name);
    assertMatch(date!, /^20\d\d-\d\d-\d\d, /, name);
    assert(text.includes("\n**Alternatives.** "), name);
  }
});
