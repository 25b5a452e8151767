/**
 * Builds the documentation site from `docs/` and the doc comments of the
 * source:
 *
 *     deno task docs           builds and serves it on http://localhost:4173
 *     deno task docs --build   only builds it, in site/.build/dist
 *
 * @module
 */
import config from "../deno.json" with { type: "json" };
import { forModels, readSkill, type Skill } from "./models.ts";
import {
  cutTests,
  guideSections,
  markPrograms,
  moveLinks,
  REPOSITORY,
  ROOT_PAGES,
  type Section,
} from "./pages.ts";

const ROOT = new URL("../", import.meta.url);
const SITE = new URL("./", import.meta.url);
const BUILD = new URL(".build/", SITE);
const PAGES = new URL("pages/", BUILD);

/** Builds the site, and prints how long each step takes. */
export async function buildSite(): Promise<void> {
  await Deno.remove(BUILD, { recursive: true }).catch(() => {});
  await Deno.mkdir(new URL("entries/", BUILD), { recursive: true });
  await timed("packages", install);
  await timed("reference", writeReference);
  const guide = await timed("guide", writeGuide);
  await writeSettings(guide);
  await timed("pages", () => run("npm:vitepress", "build", "."));
}

/** Runs a step of the build and prints its time. */
async function timed<T>(step: string, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`site: ${step} ${seconds} s`);
  return result;
}

/** Installs the packages of the site, if they are not installed yet. */
async function install(): Promise<void> {
  await execute(["install", "--quiet", "--frozen"]);
}

/** Writes a page for each entry of the package, from its doc comments. */
async function writeReference(): Promise<void> {
  const entries: string[] = [];
  for (const [name, path] of Object.entries(config.exports)) {
    const source = await Deno.readTextFile(new URL(path, ROOT));
    const [comment = ""] = /^\/\*\*.*?\*\//s.exec(source) ?? [];
    const title = name === "." ? "web" : name.slice("./".length);
    const entry = `entries/${title.replaceAll("/", "_")}.ts`;
    await Deno.writeTextFile(
      new URL(entry, BUILD),
      `${comment.replace(/@module[^\n]*/, `@module ${title}`)}
export * from "${new URL(path, ROOT).pathname}";\n`,
    );
    // The first entry that exports a symbol documents it. The root comes last.
    if (name === ".") entries.push(entry);
    else entries.unshift(entry);
  }
  await writeJSON(new URL("tsconfig.json", BUILD), {
    compilerOptions: {
      ...{ lib: ["esnext", "webworker"], target: "esnext", types: [] },
      ...{ module: "esnext", moduleResolution: "bundler", noEmit: true },
      ...{ strict: true, allowImportingTsExtensions: true },
      paths: { jose: ["../node_modules/jose"] },
    },
    files: entries,
  });
  await writeJSON(new URL("typedoc.json", BUILD), {
    ...{ name: "API reference", tsconfig: "tsconfig.json" },
    ...{ entryPoints: entries, sortEntryPoints: false, readme: "none" },
    plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
    ...{ out: "pages/api", docsRoot: "pages", entryFileName: "index" },
    ...{ outputFileStrategy: "modules", flattenOutputFiles: true },
    ...{ hideBreadcrumbs: true, hidePageHeader: true, useCodeBlocks: true },
    ...{
      useHTMLAnchors: true,
      disableSources: true,
      excludeInternal: true,
      excludePrivate: true,
    },
    // `deno check` reports type errors. Here, `@std` may be missing.
    ...{ skipErrorChecking: true, logLevel: "Error" },
    sidebar: { autoConfiguration: true },
  });
  await run("npm:typedoc", "--options", ".build/typedoc.json");
  const folder = new URL("api/", PAGES);
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".md")) continue;
    const page = await Deno.readTextFile(new URL(name, folder));
    await Deno.writeTextFile(new URL(name, folder), referencePage(page));
  }
}

/**
 * Unwraps the braces of `@default {…}`, which `deno doc` needs. The page has no
 * link to edit it.
 */
function referencePage(page: string): string {
  const text = page.replaceAll(
    /(# Default\n\n```ts\n)\{(.*?)\}(\n```)/gs,
    "$1$2$3",
  );
  return `---\neditLink: false\n---\n\n${text}`;
}

/** Writes the pages of the guide: their sections, for the sidebar. */
async function writeGuide(): Promise<Section[]> {
  const texts: [title: string, path: string, text: string][] = [];
  const write = async (file: string, page: string) => {
    const source = await Deno.readTextFile(new URL(file, ROOT));
    const text = moveLinks(cutTests(source), file);
    const target = new URL(`${page}.md`, PAGES);
    await Deno.mkdir(new URL("./", target), { recursive: true });
    const editLink = `${REPOSITORY}/edit/main/${file}`;
    await Deno.writeTextFile(
      target,
      `---\neditLink: ${editLink}\n---\n\n${markPrograms(text)}`,
    );
    const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
    texts.push([title, page, text]);
  };
  for (const [file, page] of Object.entries(ROOT_PAGES)) {
    await write(file, page);
  }
  for (const folder of ["", "decisions/"]) {
    const files = Deno.readDir(new URL(`docs/${folder}`, ROOT));
    for await (const { name } of files) {
      if (!name.endsWith(".md")) continue;
      const page = name === "README.md" ? "index" : name.slice(0, -3);
      await write(`docs/${folder}${name}`, `guide/${folder}${page}`);
    }
  }
  await copyFolder(
    new URL("docs/images/", ROOT),
    new URL("public/images/", PAGES),
  );
  await Deno.copyFile(
    new URL("examples/app/pages/icon.svg", ROOT),
    new URL("public/icon.svg", PAGES),
  );
  await Deno.copyFile(new URL("index.md", SITE), new URL("index.md", PAGES));
  await writeForModels(texts);
  const index = await Deno.readTextFile(new URL("docs/README.md", ROOT));
  return guideSections(index);
}

/** Writes `llms.txt`, `llms-full.txt` and the skills. */
async function writeForModels(
  texts: readonly [title: string, path: string, text: string][],
): Promise<void> {
  const skills: Skill[] = [];
  for await (const { name } of Deno.readDir(new URL("skills/", ROOT))) {
    const path = `skills/${name}/`;
    const text = await Deno.readTextFile(new URL(`${path}SKILL.md`, ROOT));
    skills.push(readSkill(text));
    const folder = new URL(`public/${path}`, PAGES);
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(new URL("SKILL.md", folder), text);
  }
  skills.sort((a, b) => a.name < b.name ? -1 : 1);
  const { all, summary } = forModels(texts, skills);
  await Deno.writeTextFile(new URL("public/llms.txt", PAGES), summary);
  await Deno.writeTextFile(new URL("public/llms-full.txt", PAGES), all);
}

/** Writes what `.vitepress/config.mts` reads. */
async function writeSettings(guide: readonly Section[]): Promise<void> {
  const sidebar = new URL("api/typedoc-sidebar.json", PAGES);
  const entries: { text: string; link: string }[] = JSON.parse(
    await Deno.readTextFile(sidebar),
  );
  await Deno.remove(sidebar);
  await writeJSON(new URL("settings.json", BUILD), {
    repository: REPOSITORY,
    version: config.version,
    base: Deno.env.get("SITE_BASE") ?? "/",
    guide,
    sources: sources(),
    reference: entries.map(({ text, link }) => ({ text, link }))
      .sort((a, b) => a.text < b.text ? -1 : 1),
  });
}

/** Returns the source file of each entry of the package, by its specifier. */
function sources(): Record<string, string[]> {
  const entries = Object.entries(config.exports).map(([name, path]) => [
    config.name + name.slice(1),
    [new URL(path, ROOT).pathname],
  ]);
  return { ...Object.fromEntries(entries), jose: ["node_modules/jose"] };
}

async function copyFolder(from: URL, to: URL): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    await Deno.copyFile(new URL(name, from), new URL(name, to));
  }
}

async function writeJSON(file: URL, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, JSON.stringify(value));
}

/** More room for new objects. Without it, the pages take a sixth longer. */
const V8_FLAGS = "--min-semi-space-size=64,--max-semi-space-size=128";

/** Runs the command of an npm package. */
function run(...args: string[]): Promise<void> {
  return execute(["run", "-A", ...args]);
}

async function execute(args: string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: SITE,
    env: { NO_COLOR: "1", DENO_V8_FLAGS: V8_FLAGS },
  }).output();
  if (success) return;
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout) + decoder.decode(stderr);
  throw new Error(`Cannot run "deno ${args.join(" ")}": ${output}`);
}

if (import.meta.main) {
  const start = performance.now();
  await buildSite();
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`Built site/.build/dist in ${seconds} s`);
  if (!Deno.args.includes("--build")) {
    await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "npm:vitepress", "preview", "."],
      cwd: SITE,
    }).spawn().status;
  }
}
