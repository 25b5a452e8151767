/**
 * Files that import many files of tests each, so that Deno starts a few
 * isolates instead of one per file. They lie outside the repository.
 */

/** The folder of the long tests. */
export const LONG = "tests/long/";

/** The highest number of files in an isolate. With more, a core would idle. */
export const SHARED = 32;

const ROOT = new URL("../../", import.meta.url);

/** The files to run instead of those that they import. */
export interface Wrappers {
  readonly paths: readonly string[];
  /** Removes the wrappers. */
  readonly remove: () => Promise<void>;
}

/** Finds the test files in a folder of the repository, such as `tests/`. */
export async function testFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const entries = Deno.readDir(new URL(folder, ROOT));
  for await (const { name, isDirectory } of entries) {
    if (isDirectory) found.push(...await testFiles(`${folder}${name}/`));
    else if (name.endsWith("_test.ts")) found.push(folder + name);
  }
  return found.sort();
}

/** Finds all test files but the long ones. */
export async function quickFiles(): Promise<string[]> {
  const files = await testFiles("tests/");
  return files.filter((file) => !file.startsWith(LONG));
}

/**
 * Writes wrappers for test files, with at most so many in each. Long files run as
 * they are.
 */
export async function wrap(
  files: readonly string[],
  most = SHARED,
): Promise<Wrappers> {
  const { shared = [], alone: paths = [] } = Object.groupBy(
    files,
    (file) => file.startsWith(LONG) ? "alone" : "shared",
  );
  const folder = await Deno.makeTempDir({ prefix: "gatehouse-tests-" });
  for (const [name, group] of groups(shared, most)) {
    const path = `${folder}/${name}_test.ts`;
    await Deno.writeTextFile(path, wrapper(group));
    paths.push(path);
  }
  return {
    paths,
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Groups files by their folder in `tests/`, in parts of about the same size. */
function groups(
  files: readonly string[],
  most: number,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const folders = Map.groupBy(files, (file) => file.split("/")[1] ?? "");
  for (const [folder, members] of folders) {
    const parts = Math.ceil(members.length / most);
    for (const [index, file] of members.entries()) {
      const name = `${folder}_${index % parts + 1}`;
      found.set(name, [...found.get(name) ?? [], file]);
    }
  }
  return found;
}

function wrapper(files: readonly string[]): string {
  const lines = files.map((file) => {
    const url = JSON.stringify(new URL(file, ROOT).href);
    return `await load(${JSON.stringify(file)}, () => import(${url}));`;
  });
  const load = JSON.stringify(import.meta.resolve("./load.ts"));
  return [`import { load } from ${load};`, ...lines, ""].join("\n");
}
