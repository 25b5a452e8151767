/** Folders for the data of databases and servers of a test. */
import { statfs } from "node:fs/promises";

/** A file system in memory, which Linux has. */
const MEMORY = "/dev/shm";

/** Bytes that must be free in {@linkcode MEMORY}: containers may give it 64 MB. */
const ROOM = 2 ** 31;

/**
 * Creates a folder, in memory if there is room. Databases wait for the disk with
 * each write, which takes long while others use it. In memory, the data survives the
 * end of a process, too. Deno opens these files only with all permissions.
 */
export async function makeDataFolder(): Promise<string> {
  return await Deno.makeTempDir(await hasRoom() ? { dir: MEMORY } : {});
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
