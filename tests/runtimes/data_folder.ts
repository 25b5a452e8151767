/** Folders for the data of databases and servers of a test. */
import { statfs } from "node:fs/promises";

/** A file system in memory, which Linux has. */
const MEMORY = "/dev/shm";

/** Bytes that must be free in {@linkcode MEMORY}: containers may give it 64 MB. */
const ROOM = 2 ** 31;

/**
 * Creates a folder, in memory if there is room. Databases wait for the disk with
 * each write, and a disk that others use may take a hundred times as long. Their data
 * survives the end of a process in memory, too. Deno opens these files only with all
 * permissions.
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
