import { instrument } from "./mutants.ts";
import {
  findSources,
  FOLDERS,
  type Limits,
  runTests,
  TESTS,
  type Tree,
} from "./tree.ts";

/** The test files that reach each place of the sources. */
export type Coverage = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the coverage of an earlier run from a file, or measures it and writes the
 * file. Without a file, it is measured.
 */
export async function loadCoverage(
  file: string,
  measure: () => Promise<Coverage>,
): Promise<Coverage> {
  if (file === "") return await measure();
  try {
    return new Map(JSON.parse(await Deno.readTextFile(file)));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const coverage = await measure();
    await Deno.writeTextFile(file, JSON.stringify([...coverage]));
    return coverage;
  }
}

/**
 * Runs all tests once in a tree with instrumented sources.
 *
 * @returns The coverage, without the test files that fail even so.
 */
export async function measureCoverage(
  tree: Tree,
  limits: Limits,
): Promise<Coverage> {
  for (const folder of FOLDERS) {
    for (const file of await findSources(folder)) {
      await tree.write(file, instrument(file, await tree.read(file)));
    }
  }
  const reports = await Deno.makeTempDir();
  try {
    const junit = `${reports}/junit.xml`;
    await runTests(
      tree,
      [
        "--parallel",
        `--junit-path=${junit}`,
        "--preload=tests/mutation/_reached.ts",
        ...TESTS,
      ],
      limits,
      { REACHED_FOLDER: reports },
    );
    const failing = failingFiles(await Deno.readTextFile(junit));
    for (const file of failing) console.log(`${file} fails: it is left out`);
    return await readReports(tree, reports, failing);
  } finally {
    await Deno.remove(reports, { recursive: true });
  }
}

function failingFiles(junit: string): string[] {
  const suites = junit.matchAll(/<testsuite name="([^"]+)"[^>]*>/g);
  return [...suites]
    .filter(([tag]) => /(?:failures|errors)="[1-9]/.test(tag))
    .map(([, name = ""]) => name.replace(/^\.\//, ""));
}

async function readReports(
  tree: Tree,
  folder: string,
  failing: readonly string[],
): Promise<Coverage> {
  const root = `file://${await Deno.realPath(tree.path)}/`;
  const coverage = new Map<string, string[]>();
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const text = await Deno.readTextFile(`${folder}/${name}`);
    const { places, test }: { places: string[]; test: string } = JSON.parse(
      text,
    );
    const file = test.slice(root.length);
    if (failing.includes(file)) continue;
    for (const place of places) {
      const files = coverage.get(place) ?? [];
      coverage.set(place, [...files, file].sort());
    }
  }
  return coverage;
}
