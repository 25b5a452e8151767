/**
 * Prints the path of a lock file for the npm packages of the tests, with the
 * exact version and the hash of each package that they depend on.
 *
 * A lock file of the project itself would also contain hashes of `@std`, which
 * differ when stand-ins are in use. Deno adds those to the printed file, a
 * temporary copy.
 *
 * `deno task lock` rewrites `npm_lock.json`.
 */
import config from "../../deno.json" with { type: "json" };

/** The part of a lock file that does not depend on the registry of JSR. */
export interface NpmLock {
  readonly version: string;
  /** Each specifier, such as `npm:hono@4.13.19`, with its version. */
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

const root = new URL("../../", import.meta.url);
const lockFile = new URL("npm_lock.json", import.meta.url);

/** Finds the npm packages with a version that a string mentions in quotes. */
export function npmPackages(text: string): string[] {
  return [...text.matchAll(
    /["'](npm:(?:@[\w.-]+\/)?[\w.-]+@\d[\w.+-]*)(?:\/[^"']*)?["']/g,
  )].map(([, specifier = ""]) => specifier);
}

/** Finds the npm packages of all tests, benchmarks, examples and guide pages. */
export async function packagesInUse(): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of ["tests/", "docs/", "skills/", "examples/"]) {
    for await (const path of files(folder)) {
      const text = await Deno.readTextFile(new URL(path, root));
      for (const specifier of npmPackages(text)) found.add(specifier);
    }
  }
  return [...found, ...Object.values(config.imports)]
    .filter((specifier) => specifier.startsWith("npm:")).sort();
}

async function* files(folder: string): AsyncGenerator<string> {
  const entries = Deno.readDir(new URL(folder, root));
  for await (const { name, isDirectory } of entries) {
    if (isDirectory) yield* files(`${folder}${name}/`);
    // Nothing imports its sample specifiers.
    else if (/(?<!release_test)\.(?:ts|md)$/.test(name)) yield folder + name;
  }
}

/** Reads the lock file. */
export async function readNpmLock(): Promise<NpmLock> {
  return JSON.parse(await Deno.readTextFile(lockFile));
}

/** Copies the lock file, because Deno adds to it, and returns the path. */
export async function copyLock(): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".lock" });
  await Deno.copyFile(lockFile, path);
  return path;
}

async function writeLock(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const imports = (await packagesInUse())
    .map((specifier) => `import "${specifier}";`);
  await Deno.writeTextFile(`${folder}/main.ts`, imports.join("\n"));
  await Deno.writeTextFile(`${folder}/deno.json`, "{}");
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", `--lock=${folder}/lock`, "--frozen=false", "main.ts"],
    cwd: folder,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot write lock: a package was not found");
  const { version, specifiers, npm } = JSON.parse(
    await Deno.readTextFile(`${folder}/lock`),
  );
  const lock: NpmLock = { version, specifiers, npm };
  await Deno.writeTextFile(lockFile, JSON.stringify(lock, null, 2) + "\n");
  await Deno.remove(folder, { recursive: true });
}

if (import.meta.main) {
  if (Deno.args.includes("--write")) await writeLock();
  else console.log(await copyLock());
}
