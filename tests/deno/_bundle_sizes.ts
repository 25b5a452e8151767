/**
 * Measures how much each entry adds to an application that imports all of it.
 * As a program it writes the table of `docs/bundle_sizes.md`.
 */
import config from "../../deno.json" with { type: "json" };
import { deno } from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = new URL("docs/bundle_sizes.md", ROOT);

/** The path of an entry, such as `./session`. */
export type Entry = keyof typeof config.exports;

/** Every entry of the package. */
export const ENTRIES = Object.keys(config.exports) as Entry[];

/** The size of an entry. */
export interface BundleSize {
  readonly entry: Entry;
  /** Bytes. */
  readonly minified: number;
  /** Bytes of the minified bundle, compressed with gzip. */
  readonly gzipped: number;
}

/** Names of an entry that an application imports, and no others. */
export interface Part {
  readonly entry: Entry;
  readonly names: string;
}

/** Bundles entries or parts separately and returns the code of each bundle. */
export async function bundleAll<Item extends Entry | Part>(
  items: readonly Item[],
  flags: readonly string[] = [],
): Promise<Map<Item, string>> {
  const folder = await Deno.makeTempDir();
  try {
    const inputs: string[] = [];
    for (const [index, item] of items.entries()) {
      inputs.push(`${folder}/entry${index}.js`);
      await Deno.writeTextFile(inputs[index], programOf(item));
    }
    const options = ["bundle", "--platform=browser", "-c", "deno.json"];
    const output = `--outdir=${folder}/out`;
    await deno([...options, ...flags, output, ...inputs], { cwd: ROOT });
    const bundles = new Map<Item, string>();
    for (const [index, item] of items.entries()) {
      const path = `${folder}/out/entry${index}.js`;
      bundles.set(item, await Deno.readTextFile(path));
    }
    return bundles;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function programOf(item: Entry | Part): string {
  const { entry, names } = typeof item === "string"
    ? { entry: item, names: "" }
    : item;
  const url = new URL(config.exports[entry], ROOT);
  // The whole namespace is used, so that the bundler drops nothing.
  return names === ""
    ? `import * as x from "${url}"; globalThis.x = x;`
    : `import { ${names} } from "${url}"; globalThis.x = [${names}];`;
}

/** Returns the sizes of parts, gzipped, in bytes. */
export async function measureParts(
  parts: readonly Part[],
): Promise<Map<Part, number>> {
  const sizes = new Map<Part, number>();
  for (const [part, text] of await bundleAll(parts, ["--minify"])) {
    sizes.set(part, await gzippedSize(new Blob([text])));
  }
  return sizes;
}

/** Measures every entry. */
export async function measureEntries(): Promise<BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const [entry, text] of await bundleAll(ENTRIES, ["--minify"])) {
    const blob = new Blob([text]);
    sizes.push({
      entry,
      minified: blob.size,
      gzipped: await gzippedSize(blob),
    });
  }
  return sizes;
}

const LOGIN = `
import { object, parseSafe, string } from "@gatehouse/web/data-schema";
import { email, minLength } from "@gatehouse/web/data-schema/checks";
const Login = object({
  email: string().pipe(email()),
  password: string().pipe(minLength(8)),
});
export const login = (value: unknown) => parseSafe(Login, value);
`;

/** Returns the size of a login form with `parseSafe`. */
export function sizeOfLogin(): Promise<number> {
  return sizeOfProgram(LOGIN);
}

/** Returns the size of entries that an application uses together. */
export function sizeOfEntries(entries: readonly Entry[]): Promise<number> {
  const lines = entries.map((entry, index) =>
    `import * as x${index} from "${new URL(config.exports[entry], ROOT)}";
    globalThis.x${index} = x${index};`
  );
  return sizeOfProgram(lines.join("\n"));
}

/** Returns the size of a program, bundled, minified and gzipped. */
export async function sizeOfProgram(source: string): Promise<number> {
  const folder = await Deno.makeTempDir();
  try {
    const [input, output] = [`${folder}/main.ts`, `${folder}/main.js`];
    await Deno.writeTextFile(input, source);
    const options = ["bundle", "--minify", "--platform=browser"];
    await deno([...options, "-c", "deno.json", "-o", output, input], {
      cwd: ROOT,
    });
    return await gzippedSize(new Blob([await Deno.readFile(output)]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function gzippedSize(blob: Blob): Promise<number> {
  const gzip = blob.stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(gzip).bytes()).length;
}

/** Creates the page with the table. */
export function pageOf(sizes: readonly BundleSize[]): string {
  const rows = sizes.map(({ entry, minified, gzipped }) => {
    const name = `\`${config.name}${entry.slice(1)}\``;
    return `| ${name} | ${kilobytes(minified)} | ${kilobytes(gzipped)} |`;
  });
  return `# Bundle sizes

This table has the size of a bundle with a whole entry and its dependencies, in
kB (1,000 bytes). An application that uses only a part of an entry is smaller.
Entries share code, so two of them together are smaller than their sum.

| entry | minified | gzipped |
| --- | ---: | ---: |
${rows.join("\n")}

\`deno task sizes\` writes this page. A test checks the budget of each entry.
`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

/** Reads the table of the page back: kB minified and gzipped, by entry. */
export async function readPage(): Promise<Map<Entry, [number, number]>> {
  const rows = (await Deno.readTextFile(PAGE))
    .matchAll(/^\| `@[\w-]+\/[\w-]+(\S*)` *\| +([\d.]+) \| +([\d.]+) \|$/gm);
  return new Map(
    [...rows].map(([, path, minified, gzipped]) => [
      `.${path}` as Entry,
      [Number(minified), Number(gzipped)],
    ]),
  );
}

if (import.meta.main) {
  const sizes = await measureEntries();
  await Deno.writeTextFile(PAGE, pageOf(sizes));
  await deno(["fmt", PAGE.pathname], { cwd: ROOT });
  console.table(sizes);
}
