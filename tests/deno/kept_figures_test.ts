/** Figures in the documentation are those that programs wrote. */
import { assert, assertFalse, assertStringIncludes } from "@std/assert";
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

Deno.test("the page names the fastest library, also if it is another one", () => {
  const rows = [
    { name: "bare", value: 100 },
    { name: "gatehouse", value: 300 },
    { name: "gatehouse in a function", value: 150 },
    { name: "elysia", value: 200 },
  ];
  const page = pageOf("dispatch, param route", rows);
  assertStringIncludes(page, "The fastest library is elysia.");
  assertFalse(
    pageOf("workerd, param route, 0 middleware", rows.slice(0, 3)).includes(
      "fastest",
    ),
    "Without another library, none is the fastest",
  );
  const sessions = [
    { name: "one AES-GCM decryption", value: 10 },
    { name: "gatehouse, sealed cookie", value: 20 },
    { name: "iron-session", value: 30 },
  ];
  assertStringIncludes(
    pageOf("Session, changing a sealed cookie", sessions),
    "The fastest library is gatehouse, sealed cookie.",
  );
});

function pageOf(
  title: string,
  rows: readonly { readonly name: string; readonly value: number }[],
): string {
  const table = { title, runtime: "Deno", unit: "ns", rows, bounds: [] };
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
