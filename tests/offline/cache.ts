/**
 * Folders in Deno's cache, which all processes of a run share and later runs
 * find again.
 */

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";
const ROOT = await Deno.realPath(`${import.meta.dirname}/../..`);

/** Milliseconds that the cache keeps an unused folder. */
const MAX_AGE = 24 * 60 * 60 * 1000;

/** The files and folders that the published package has. */
const LIBRARY = [
  ...["accounts", "auth", "create", "logger", "oauth_server"],
  ...["router", "schema", "session"],
  ...["mod.ts", "deno.json", "README.md", "LICENSE", "CHANGELOG.md"],
];

/**
 * Returns a folder that a function fills once. If several processes ask for the
 * same folder, the first one fills it, and the others wait.
 *
 * @param name The kind of contents, such as `npm-registry`.
 * @param key Everything that the contents depend on.
 * @param fill Fills an empty folder.
 */
export async function cached(
  name: string,
  key: readonly string[],
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const parent = await cacheFolder();
  const prefix = `gatehouse-${name}-`;
  const hash = await digest(JSON.stringify([...key, Deno.version.deno]));
  const target = `${parent}/${prefix}${hash.slice(0, 16)}`;
  const options = { create: true, write: true };
  using lock = await Deno.open(`${target}.lock`, options);
  // The system unlocks the file if this process is killed.
  await lock.lock(true);
  await lock.utime(new Date(), new Date());
  if (await exists(target)) {
    await Deno.utime(target, new Date(), new Date());
    return target;
  }
  await removeOld(parent, prefix);
  const draft = `${target}.draft`;
  await Deno.remove(draft, { recursive: true }).catch(() => {});
  await Deno.mkdir(draft);
  await fill(draft);
  await Deno.rename(draft, target);
  return target;
}

/** Returns a folder that outlives this process, outside the package. */
export async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    cwd: ROOT,
  }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  await Deno.mkdir(denoDir, { recursive: true });
  const folder = await Deno.realPath(denoDir);
  const inside = (folder + SEPARATOR).startsWith(ROOT + SEPARATOR);
  return inside ? await Deno.makeTempDir() : folder;
}

/** Removes the folders that no process has asked for lately, and their locks. */
async function removeOld(parent: string, prefix: string): Promise<void> {
  for await (const { name } of Deno.readDir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = `${parent}/${name}`;
    const { mtime } = await Deno.stat(path);
    if (Date.now() - mtime!.getTime() < MAX_AGE) continue;
    await Deno.remove(path, { recursive: true });
  }
}

let library: Promise<string> | undefined;

/** Returns a hash of the files that the published package has. */
export function hashOfLibrary(): Promise<string> {
  return library ??= hashOf(LIBRARY);
}

/** Returns a hash of files and folders of this project, by their contents. */
export async function hashOf(paths: readonly string[]): Promise<string> {
  const hashes: string[] = [];
  for (const path of paths) {
    const { isDirectory } = await Deno.stat(`${ROOT}/${path}`);
    const files = isDirectory
      ? (await filesBelow(`${ROOT}/${path}`)).map((file) => `${path}/${file}`)
      : [path];
    for (const file of files) {
      hashes.push(file, await digest(await Deno.readFile(`${ROOT}/${file}`)));
    }
  }
  return await digest(hashes.join("\n"));
}

/** Finds the files of a folder and of the folders in it, sorted by path. */
export async function filesBelow(root: string, folder = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${root}/${folder}`)) {
    const path = folder + name;
    if (isDirectory) files.push(...await filesBelow(root, `${path}/`));
    else files.push(path);
  }
  return files.sort();
}

/** Returns `true` if there is a folder. */
export async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** Returns the SHA-256 of a string or bytes, in hexadecimal digits. */
export async function digest(
  data: string | Uint8Array<ArrayBuffer>,
): Promise<string> {
  const bytes = typeof data === "string"
    ? new TextEncoder().encode(data)
    : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
