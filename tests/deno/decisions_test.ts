/** The form of the pages in `docs/decisions/`. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileLinks } from "./_markdown.ts";

const FOLDER = new URL("../../docs/decisions/", import.meta.url);

/** The most lines of a page: three screens. */
const MAX_LINES = 150;

const names = (await Array.fromAsync(Deno.readDir(FOLDER)))
  .map(({ name }) => name)
  .sort();

const pages = await Promise.all(
  names.map(async (name) =>
    [name, await Deno.readTextFile(new URL(name, FOLDER))] as const
  ),
);

Deno.test("the index of the decisions links every page once", async () => {
  const index = await Deno.readTextFile(new URL("README.md", FOLDER));
  const links = fileLinks(index).filter((link) => !link.startsWith("../"));
  assertEquals(links.sort(), names.filter((name) => name !== "README.md"));
});

Deno.test("there are at most ten pages of decisions, each of at most three screens", () => {
  assert(pages.length <= 10);
  const long = pages.filter(([, text]) => text.split("\n").length > MAX_LINES);
  assertEquals(long.map(([name]) => name), []);
});

Deno.test("every decision has a title and an alternative", () => {
  for (const [name, text] of pages) {
    assert(text.startsWith("# Decisions"), name);
    const decisions = text.split(/^(?=- )/m).slice(1)
      .filter((item) => !/^- \[[^\]]+\]\(\w+\.md\)/.test(item));
    assert(decisions.length > 0, name);
    for (const decision of decisions) {
      assertMatch(decision, /^- \*\*[^*]+\*\*/, name);
      assertMatch(decision, /_Rejected:_/, `${name}: ${decision}`);
    }
  }
});

Deno.test("decisions contain no nanoseconds: the benchmarks do", () => {
  const found = pages.filter(([, text]) => /\d\s(?:ns|µs)\b/.test(text));
  assertEquals(found.map(([name]) => name), []);
});
