/** Figures in the documentation are those that programs wrote. */
import {
  assert,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { Table } from "../bench/_measure.ts";
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

Deno.test("the page names the fastest library, even if it is another one", () => {
  const rows = [
    { name: "gatehouse", value: 300 },
    { name: "memoirist", value: 200 },
    { name: "rou3 compiled (eval)", value: 400 },
  ];
  const page = pageOf("GitHub-like: 310 routes", rows);
  assertStringIncludes(page, "1.5 of memoirist");
  assertFalse(page.includes("## Missed bounds"));
});

Deno.test("the page compares libraries that use eval on a separate line", () => {
  const page = pageOf("login, valid", [
    { name: "gatehouse", value: 100 },
    { name: "zod", value: 500 },
    { name: "arktype (eval)", value: 50 },
  ]);
  assertMatch(page, /\| login, valid +\| +0\.20 of zod \|/);
  assertMatch(page, /\| login, valid, eval +\| +2\.0 of arktype \(eval\) \|/);
});

Deno.test("the page lists a bound that its figures exceed", () => {
  const bounds = [
    { of: "gatehouse", to: "memoirist", most: 1.3, ratio: 1.5 },
    { of: "gatehouse", to: "hono", most: 1.3, ratio: 1.2 },
  ];
  const page = pageOf("wildcards: 312 routes", [], bounds);
  const [, missed] = page.split("## Missed bounds");
  assertMatch(missed, /\| gatehouse +\| memoirist +\| +1\.5 \| +1\.3 \|/);
  assertFalse(missed.includes("hono"));
});

Deno.test("the page has no table without figures", () => {
  const page = pageOf("Request log", [{
    name: "gatehouse, combined",
    value: 1,
  }]);
  assertFalse(page.includes("| Measured |  |"));
  assertStringIncludes(page, "## Bytes");
});

function pageOf(
  title: string,
  rows: Table["rows"],
  bounds: Table["bounds"] = [],
): string {
  const table = { title, runtime: "Deno", unit: "ns", rows, bounds };
  return filesOf([table]).get("docs/benchmarks.md")!;
}

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
