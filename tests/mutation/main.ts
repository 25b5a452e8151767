/**
 * Changes random places of the library in a copy of the project, one at a time,
 * runs the tests that reach the place, and reports the changes that no test
 * notices:
 *
 *     deno task mutate [path=count…] [--jobs=2] [--cpu=90]
 *       [--wall=600] [--report=FILE] [--coverage=FILE]
 *
 * - `path=count`: so many mutants below a folder or in a file, such as
 *   `auth/throttle=30`. Without paths: {@linkcode DEFAULT}.
 * - `--jobs`: the number of mutants at a time, and of copies.
 * - `--cpu`, `--wall`: the limits of one mutant's tests, in seconds.
 * - `--report`: the file that the report is added to, as Markdown.
 * - `--coverage`: the file of an earlier run of the same tests, which is written if
 *   it is missing. Otherwise, a run of all tests measures which code they reach.
 *
 * The seed is the day's date, or the variable `TEST_SEED`. The same seed on the
 * same commit chooses the same mutants. Counted are the tests that run on all
 * runtimes, and a few of `tests/deno` that `tree.ts` names.
 *
 * @module
 */
import { seed } from "../long/_nightly.ts";
import { seededRandom } from "../runtimes/random.ts";
import { type Coverage, loadCoverage, measureCoverage } from "./coverage.ts";
import {
  findMutants,
  isValid,
  type Mutant,
  mutate,
  placeOf,
} from "./mutants.ts";
import { createReport, lineOf, type Outcome } from "./report.ts";
import {
  copyProject,
  findSources,
  type Limits,
  runTests,
  type Tree,
} from "./tree.ts";

/** The mutants of a nightly run. */
const DEFAULT = [
  "accounts=30",
  "auth=30",
  "oauth_server=20",
  "session=20",
  "router=20",
  "schema=10",
  "logger=10",
];

/** A mutant and the test files that reach it. */
interface Target {
  readonly mutant: Mutant;
  readonly tests: readonly string[];
}

function option(name: string, fallback: string): string {
  const prefix = `--${name}=`;
  return Deno.args.find((arg) => arg.startsWith(prefix))?.slice(
    prefix.length,
  ) ??
    fallback;
}

/** Chooses mutants below a path, at most one for each line. */
async function choose(
  tree: Tree,
  wanted: string,
  random: () => number,
  coverage: Coverage,
  lines: Set<string>,
): Promise<Target[]> {
  const [path = "", count = "10"] = wanted.split("=");
  const all: { mutant: Mutant; text: string }[] = [];
  for (const file of await findSources(path)) {
    const text = await tree.read(file);
    for (const mutant of findMutants(file, text)) all.push({ mutant, text });
  }
  const chosen: Target[] = [];
  while (chosen.length < Number(count) && all.length > 0) {
    const [next] = all.splice(Math.floor(random() * all.length), 1);
    const { mutant, text } = next!;
    const line = `${mutant.file}:${mutant.line}`;
    if (lines.has(line) || !isValid(text, mutant)) continue;
    lines.add(line);
    const tests = coverage.get(placeOf(text, mutant)) ?? [];
    chosen.push({ mutant, tests });
  }
  return chosen;
}

/** Runs the tests of one mutant, those of the same folder first. */
async function test(
  tree: Tree,
  { mutant, tests }: Target,
  limits: Limits,
): Promise<Outcome> {
  if (tests.length === 0) return { mutant, result: "not reached" };
  const { file } = mutant;
  const folder = `tests/${file.slice(0, file.indexOf("/"))}/`;
  const groups = {
    "own folder": tests.filter((name) => name.startsWith(folder)),
    "another folder": tests.filter((name) => !name.startsWith(folder)),
  };
  const text = await tree.read(file);
  await tree.write(file, mutate(text, mutant));
  try {
    for (const by of ["own folder", "another folder"] as const) {
      if (groups[by].length === 0) continue;
      // One process that imports them all starts much faster than one for each.
      const all = "tests/all_test.ts";
      const imports = groups[by].map((name) => `import "../${name}";`);
      await tree.write(all, imports.join("\n"));
      const { output, result } = await runTests(
        tree,
        ["--fail-fast", all],
        limits,
      );
      if (result === "timed out") return { mutant, result, by };
      if (result === "failed") {
        const [, test] = /^(.+) \.\.\. FAILED/m.exec(output) ?? [];
        return { mutant, result: "killed", by, ...test && { test } };
      }
    }
    return { mutant, result: "survived" };
  } finally {
    await tree.write(file, text);
  }
}

async function main(): Promise<void> {
  const jobs = Number(option("jobs", "2"));
  const limits = {
    cpu: Number(option("cpu", "90")),
    wall: Number(option("wall", "600")),
  };
  const paths = Deno.args.filter((arg) => !arg.startsWith("--"));
  const folder = await Deno.makeTempDir();
  try {
    const measured = await copyProject(`${folder}/measured`);
    const trees: Tree[] = [];
    for (let job = 0; job < jobs; job++) {
      trees.push(await copyProject(`${folder}/job${job}`));
    }
    console.log(`Seed ${seed}. Measuring which tests reach which code …`);
    const all = { cpu: 3_600, wall: 3_600 };
    const coverage = await loadCoverage(
      option("coverage", ""),
      () => measureCoverage(measured, all),
    );
    const random = seededRandom(seed);
    const lines = new Set<string>();
    const targets: Target[] = [];
    for (const wanted of paths.length > 0 ? paths : DEFAULT) {
      targets.push(
        ...await choose(trees[0]!, wanted, random, coverage, lines),
      );
    }
    const outcomes: Outcome[] = [];
    await Promise.all(trees.map(async (tree) => {
      for (let next; (next = targets.shift()) !== undefined;) {
        const outcome = await test(tree, next, limits);
        outcomes.push(outcome);
        console.log(lineOf(outcome));
      }
    }));
    const report = createReport(seed, outcomes);
    console.log(`\n${report}`);
    const file = option("report", "");
    if (file !== "") await Deno.writeTextFile(file, report, { append: true });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

await main();
