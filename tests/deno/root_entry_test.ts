/** The rule of the root entry, and the imports of the guide. */
import { assert, assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { codeBlocks } from "./_markdown.ts";
import { pages } from "./_guide.ts";

const ROOT = new URL("../../", import.meta.url);

/** The entries whose names may be in the root. */
const LAYERS = [
  "./auth",
  "./auth-middleware",
  "./auth/password",
  "./content",
  "./fetch-router",
  "./logger-middleware",
  "./middleware",
  "./session",
  "./session-middleware",
] as const;

/** Every middleware of the root with a key sets it in the context. */
const KEYS = [
  "Auth",
  "Log",
  "Session",
  "ValidBody",
  "ValidForm",
  "ValidJSON",
  "ValidParams",
  "ValidQuery",
];

/** These programs are the first that a reader sees. */
const FIRST = ["README.md", "getting_started.md"];

/** A name that a program of a page imports. */
interface ImportedName {
  readonly name: string;
  /** Its entry, such as `.` or `./auth`. */
  readonly entry: string;
  readonly page: string;
}

Deno.test("the root has the names of README, Getting started and several other pages, and keys", async () => {
  const layers = new Set<string>();
  for (const entry of LAYERS) {
    for (const name of await exportsOf(config.exports[entry])) layers.add(name);
  }
  const pagesOf = new Map<string, Set<string>>();
  for (const { name, page } of await importedNames()) {
    pagesOf.set(name, (pagesOf.get(name) ?? new Set()).add(page));
  }
  const isUsed = (name: string, least: number) => {
    const pages = pagesOf.get(name) ?? new Set();
    return FIRST.some((page) => pages.has(page)) || pages.size >= least;
  };
  const root = await exportsOf("./mod.ts");
  // A second page may import a name, so that one more page moves no name.
  const missing = [...layers]
    .filter((name) => isUsed(name, 3) && !root.includes(name));
  const unused = root
    .filter((name) => !isUsed(name, 2) && !KEYS.includes(name));
  assertEquals({ missing, unused }, { missing: [], unused: [] });
  assertEquals(KEYS.filter((key) => !root.includes(key)), []);
});

Deno.test("the guide imports each name from the root, or from the one entry that it names", async () => {
  const root = await exportsOf("./mod.ts");
  const entryOf = new Map<string, string>();
  const others: ImportedName[] = [];
  for (const imported of await importedNames()) {
    const { name, entry } = imported;
    // Schemas of values and of forms have the same names.
    if (entry.startsWith("./data-schema")) continue;
    const home = root.includes(name) ? "." : entryOf.get(name) ?? entry;
    entryOf.set(name, home);
    if (entry !== home) others.push(imported);
  }
  assertEquals(others, []);
});

/** Returns the names that a file exports. */
async function exportsOf(path: string): Promise<string[]> {
  const source = await Deno.readTextFile(new URL(path, ROOT));
  const own = source.matchAll(
    /^export (?:async )?(?:function|class|const|interface|type) (\w+)/gm,
  );
  const others = source.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [
    ...[...own].map(([, name]) => name),
    ...[...others].flatMap(([, names]) => namesOf(names)),
  ];
}

/** Returns the names that the programs of the guide import. */
async function importedNames(): Promise<ImportedName[]> {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const all = [
    ...await pages(),
    { name: "README.md", blocks: codeBlocks(readme) },
  ];
  const found: ImportedName[] = [];
  for (const { name: page, blocks } of all) {
    for (const { text } of blocks) {
      for (
        const [, names, path] of text.matchAll(
          /^import (?:type )?([^"]+) from "@gatehouse\/web([^"]*)";$/gm,
        )
      ) {
        // The names of this entry are those of the schemas.
        if (path === "/data-schema/coerce") continue;
        assert(names.startsWith("{"), `${page}: import ${names}`);
        for (const name of namesOf(names.slice(1, -1))) {
          found.push({ name, entry: `.${path}`, page });
        }
      }
    }
  }
  return found;
}

/** Returns `["a", "B"]` for `a as c, type B`. */
function namesOf(list: string): string[] {
  return list.split(",").map((item) => item.trim()).filter((item) => item)
    .map((item) => item.replace(/^type /, "").replace(/ as .*/, ""));
}
