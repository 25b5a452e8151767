/**
 * Prints the value for `JSR_URL`: JSR itself if it is reachable. Otherwise the
 * address of a folder laid out like the registry, with a stand-in for each
 * `@std` module that the project imports.
 *
 * The stand-ins live outside the package, because publishing rejects modules
 * that the package contains but does not publish.
 */
import config from "../../deno.json" with { type: "json" };
import { cacheFolder, digest, exists } from "./cache.ts";

const JSR = "https://jsr.io/";

/** Milliseconds that JSR has to answer before it counts as unreachable. */
const PATIENCE = 5_000;

/** The stand-ins: the exports of each package, as files in this folder. */
const STAND_INS = {
  "@std/assert": { ".": "assert.ts" },
  "@std/crypto": { "./timing-safe-equal": "timing_safe_equal.ts" },
  "@std/http": {
    "./cookie": "cookie.ts",
    "./file-server": "file_server.ts",
  },
} as const;

const here = import.meta.dirname!;

/** Returns JSR or, if it is unreachable, the stand-ins. */
export async function registry(): Promise<string> {
  const chosen = Deno.env.get("JSR_URL");
  if (chosen?.startsWith("http")) return chosen;
  if (await isReachable()) return JSR;
  const url = await standIns();
  console.error(
    `JSR cannot be reached: using stand-ins for @std. To use them in a command of Deno, set JSR_URL=${url}`,
  );
  return url;
}

async function isReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(`${JSR}@std/assert/meta.json`, { signal });
    const meta = await response.json();
    return response.ok && typeof meta.versions === "object";
  } catch {
    return false;
  }
}

/**
 * Writes the registry of the stand-ins, unless it exists, and returns the URL of
 * its folder.
 */
export async function standIns(): Promise<string> {
  const files = await registryFiles();
  // The name depends on the content, so each change gets a separate folder.
  const name = `gatehouse-jsr-${(await digest(json([...files]))).slice(0, 16)}`;
  const target = `${await cacheFolder()}/${name}`;
  if (!await exists(target)) await writeAtOnce(target, files);
  const url = new URL("file:///");
  url.pathname = target.replaceAll("\\", "/") + "/";
  return url.href;
}

export async function registryFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [name, standIns] of Object.entries(STAND_INS)) {
    const range = config.imports[name as keyof typeof STAND_INS];
    const version = lowestVersion(range);
    const exports: Record<string, string> = {};
    const manifest: Record<string, unknown> = {};
    for (const [path, file] of Object.entries(standIns)) {
      const source = await Deno.readTextFile(`${here}/${file}`);
      const checksum = `sha256-${await digest(source)}`;
      exports[path] = `./${file}`;
      manifest[`/${file}`] = { size: source.length, checksum };
      files.set(`${name}/${version}/${file}`, source);
    }
    files.set(`${name}/meta.json`, json({ versions: { [version]: {} } }));
    files.set(`${name}/${version}_meta.json`, json({ exports, manifest }));
  }
  return files;
}

/** Returns the lowest version that `jsr:@scope/name@^1.2` allows: `1.2.0`. */
function lowestVersion(specifier: string): string {
  const range = specifier.slice(specifier.lastIndexOf("@") + 1);
  const [major = "1", minor = "0", patch = "0"] = range.replace(/^\D+/, "")
    .split(".");
  return `${major}.${minor}.${patch}`;
}

/** Writes a folder so that another process sees all of it or nothing. */
async function writeAtOnce(
  target: string,
  files: Map<string, string>,
): Promise<void> {
  const draft = `${target}-${crypto.randomUUID()}`;
  for (const [path, text] of files) {
    const file = `${draft}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  try {
    await Deno.rename(draft, target);
  } catch (error) {
    await Deno.remove(draft, { recursive: true });
    // Another process laid out the same files first.
    if (!await exists(target)) throw error;
  }
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

if (import.meta.main) console.log(await registry());
