/**
 * The package as JSR offers it to npm: each module as JavaScript, next to its
 * declarations, with the dependencies as npm packages.
 */
import { cp } from "node:fs/promises";
import ts from "npm:typescript@6.0.3";
import config from "../../deno.json" with { type: "json" };
import { cached, hashOfLibrary } from "../offline/cache.ts";

const ROOT = new URL("../../", import.meta.url);

/** A module of `deno info`. */
interface Module {
  readonly kind?: string;
  readonly specifier: string;
  readonly local?: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: { readonly specifier: string };
  }[];
}

/** A graph of `deno info`. */
interface Graph {
  readonly modules: readonly Module[];
  readonly redirects: Readonly<Record<string, string>>;
  readonly npmPackages: Readonly<
    Record<string, { readonly name: string; readonly localPath: string }>
  >;
}

/** Installs the package and its dependencies in `node_modules` of a folder. */
export async function installPackage(folder: string): Promise<void> {
  const built = await buildPackage();
  await cp(built, `${folder}/node_modules`, { recursive: true });
}

/** Returns a folder of the package and its dependencies, built once. */
export async function buildPackage(): Promise<string> {
  const key = [await hashOfLibrary(), Deno.env.get("JSR_URL") ?? ""];
  const folder = await cached("npm-package", key, build);
  return `${folder}/node_modules`;
}

async function build(folder: string): Promise<void> {
  const modules = `${folder}/node_modules`;
  const graph = await readGraph(folder);
  const exportsOf: Record<string, Record<string, unknown>> = {
    [config.name]: Object.fromEntries(
      Object.entries(config.exports).map(([entry, path]) => [
        entry,
        exportOf(path),
      ]),
    ),
  };
  for (const [specifier, target] of Object.entries(graph.redirects)) {
    const name = jsrName(specifier);
    if (name === undefined) continue;
    const [scope, pkg, ...entry] = name.split("/");
    const exports = exportsOf[`${scope}/${pkg}`] ??= {};
    exports[`./${entry.join("/")}`] = exportOf(`./${fileOf(target)[1]}`);
  }
  for (const module of graph.modules) {
    if (module.kind !== "esm") continue;
    const [name, path] = fileOf(module.specifier);
    if (name !== undefined) await write(module, `${modules}/${name}/${path}`);
  }
  for (const [name, exports] of Object.entries(exportsOf)) {
    const json = JSON.stringify({ name, type: "module", exports });
    await Deno.writeTextFile(`${modules}/${name}/package.json`, json);
  }
  for (const { name, localPath } of Object.values(graph.npmPackages)) {
    await cp(localPath, `${modules}/${name}`, { recursive: true });
  }
}

async function readGraph(folder: string): Promise<Graph> {
  const entry = `${folder}/entries.ts`;
  const imports = Object.values(config.exports)
    .map((path) => `import "${new URL(path, ROOT)}";`);
  await Deno.writeTextFile(entry, imports.join("\n"));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "-c", "deno.json", entry],
    cwd: ROOT,
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  await Deno.remove(entry);
  return JSON.parse(decoder.decode(stdout));
}

/** Returns the package and the path of a module. */
function fileOf(url: string): [name?: string, path?: string] {
  if (url.startsWith(ROOT.href)) {
    return [config.name, url.slice(ROOT.href.length)];
  }
  const [, name, path] = /\/@std\/([\w-]+)\/[\d.]+\/(.+)$/.exec(url) ?? [];
  return name === undefined ? [] : [`@jsr/std__${name}`, path];
}

/** Returns `@jsr/std__http/cookie` for `jsr:/@std/http@^1/cookie`. */
function jsrName(specifier: string): string | undefined {
  const [, scope, name, entry] =
    /^jsr:\/?@([\w-]+)\/([\w-]+)@[^/]+(\/.+)?$/.exec(specifier) ?? [];
  return scope && `@jsr/${scope}__${name}${entry ?? ""}`;
}

/** Returns `@noble/ciphers/utils.js` for `npm:@noble/ciphers@2.4.0/utils.js`. */
function npmName(specifier: string): string | undefined {
  const [, name, entry] =
    /^npm:\/?((?:@[\w-]+\/)?[\w-]+)@[^/]+(\/.+)?$/.exec(specifier) ?? [];
  return name && name + (entry ?? "");
}

function exportOf(path: string): { types: string; default: string } {
  const base = path.replace(/\.ts$/, "");
  return { types: `${base}.d.ts`, default: `${base}.js` };
}

async function write(module: Module, path: string): Promise<void> {
  let source = await Deno.readTextFile(module.local!);
  for (const { specifier, code } of module.dependencies ?? []) {
    const name = specifier.startsWith(".")
      ? specifier.replace(/\.ts$/, ".js")
      : jsrName(code?.specifier ?? "") ?? npmName(specifier) ?? specifier;
    source = source.replaceAll(
      new RegExp(
        `(^import |\\bfrom |\\bimport\\()"${RegExp.escape(specifier)}"`,
        "gm",
      ),
      `$1"${name}"`,
    );
  }
  const compilerOptions: ts.CompilerOptions = {
    declaration: true,
    isolatedDeclarations: true,
    module: ts.ModuleKind.ESNext,
    strict: true,
    target: ts.ScriptTarget.ESNext,
    verbatimModuleSyntax: true,
  };
  const options = { compilerOptions, fileName: path };
  await makeFolder(path.slice(0, path.lastIndexOf("/")));
  await Deno.writeTextFile(
    path.replace(/\.ts$/, ".js"),
    ts.transpileModule(source, options).outputText,
  );
  await Deno.writeTextFile(
    path.replace(/\.ts$/, ".d.ts"),
    ts.transpileDeclaration(source, options).outputText,
  );
}

async function makeFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true });
}

/** Returns the type errors of a TypeScript file in a folder, as Node sees it. */
export function typeErrorsOf(path: string): string[] {
  const program = ts.createProgram([path], {
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) =>
    `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
  );
}
