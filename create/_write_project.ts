import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Only the owner may read the secrets. */
const SECRET_MODE = 0o600;

/**
 * Writes the files of a project to a new or empty folder.
 *
 * @param folder The path of the folder.
 * @param filesOf Returns the files of a project by path, for its name.
 * @throws {Error} If the folder has files.
 */
export async function writeProject(
  folder: string,
  filesOf: (name: string) => Record<string, string>,
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) {
      throw new Error("the folder is not empty");
    }
    const files = filesOf(nameOf(folder));
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      const mode = path === ".env" ? SECRET_MODE : 0o666;
      // "wx" fails if another program has created the file in the meantime.
      await writeFile(file, text, { flag: "wx", mode });
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot create project "${folder}": ${reason}`);
  }
}

/** Returns a name that packages and Workers may have. */
function nameOf(folder: string): string {
  return basename(resolve(folder)).toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-").slice(0, 50)
    .replaceAll(/^-+|-+$/g, "") || "app";
}
