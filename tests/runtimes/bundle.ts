import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);

/** The folders of tests that do not say how the library behaves anywhere. */
const DENO_ONLY = ["deno", "long"];

/** The modules of Bun and Workers. Modules of Node are left out of bundles too. */
const BUILT_IN = ["bun", "bun:sqlite", "cloudflare:workers"];

/** A bundle of all behaviour tests for one runtime without Deno. */
export interface Bundle {
  /** The test files, relative to `tests/`. */
  readonly files: readonly string[];
  /**
   * An ES module whose default export answers `/<file>` with its results, and
   * `/<file>?list` with the names of its tests.
   */
  readonly script: string;
}

/** Bundles all behaviour tests. */
export async function bundleTests(): Promise<Bundle> {
  const files = await testFiles();
  return { files, script: await bundle(entrySource(files)) };
}

/** Bundles a module as for a browser, so without any Node module. */
export async function bundle(source: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const entry = `${folder}/entry.ts`;
    await Deno.writeTextFile(entry, source);
    return await bundleFile(entry);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Bundles a file likewise, but for the modules that runtimes bring. */
export async function bundleFile(entry: string | URL): Promise<string> {
  const output = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const externals = BUILT_IN.map((name) => `--external=${name}`);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--platform=browser", "-c", "deno.json", ...externals]
        .concat("-o", output, String(entry)),
      cwd: ROOT,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return await Deno.readTextFile(output);
  } finally {
    await Deno.remove(output);
  }
}

/** Finds the files that `deno test` runs, in all folders but those. */
async function testFiles(folder = ""): Promise<string[]> {
  const files: string[] = [];
  const entries = Deno.readDir(new URL(`tests/${folder}`, ROOT));
  for await (const { name, isDirectory } of entries) {
    const path = folder + name;
    if (DENO_ONLY.includes(path)) continue;
    if (isDirectory) files.push(...await testFiles(`${path}/`));
    else if (/(?:^|[._])test\.[cm]?[jt]sx?$/.test(name)) files.push(path);
  }
  return files.sort();
}

/**
 * Returns an entry that loads each test file on request, so that one broken
 * file is one failure. The library loads at the top level, the strictest phase
 * on Workers.
 */
function entrySource(files: readonly string[]): string {
  const url = (path: string) => JSON.stringify(new URL(path, ROOT).href);
  // `./create` is a program for Node's modules.
  const { "./create": _program, ...entries } = config.exports;
  const library = Object.values(entries).map((path) => `import ${url(path)};`);
  const loaders = files
    .map((file) => `"/${file}": () => import(${url(`tests/${file}`)}),`);
  return `${library.join("\n")}
import ${url("tests/run/rsa_keys.ts")};
import { listFile, runFile } from ${url("tests/runtimes/collect.ts")};
const files = { ${loaders.join("\n")} };
export default {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const act = search === "?list" ? listFile : runFile;
    return Response.json(await act(pathname.slice(1), files[pathname]));
  },
};`;
}
