/**
 * Runs every benchmark of this folder, or those that are named, one after the
 * other. A long run keeps its tables in `docs/benchmarks.json`, and writes the
 * page of the documentation from them. With `--quick` each runs briefly, three
 * times, and the median of each ratio must not be far beyond its bound.
 */
import { FAR_BEYOND, medianOf, type Table, TOLERANCE } from "./_measure.ts";
import { writePages } from "./_pages.ts";

/** The number of quick runs, of whose ratios the median counts. */
const RUNS = 3;

const quick = Deno.args.includes("--quick");
const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
const all = await benchmarks();
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.log(`No such benchmark: ${unknown.join(", ")}`);
  Deno.exit(1);
}

const failed: string[] = [];
for (const name of wanted.length === 0 ? all : wanted) {
  console.log(`\n# ${name}`);
  const runs: Table[][] = [];
  for (let count = 0; count < (quick ? RUNS : 1); count++) {
    runs.push(await run(name));
  }
  failed.push(...beyond(runs));
  if (quick) continue;
  const versions = await versionsOf(name);
  await writePages(runs[0]!.map((table) => ({ ...table, versions })));
}
if (failed.length > 0) {
  console.log(`\nFar beyond a bound:\n${failed.join("\n")}`);
  Deno.exit(1);
}

/** Returns the names of the benchmarks: `match` for `match_bench.ts`. */
async function benchmarks(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(import.meta.dirname!)) {
    if (name.endsWith("_bench.ts")) names.push(name.slice(0, -9));
  }
  return names.sort();
}

/** Returns the runtimes and the packages of a benchmark. */
async function versionsOf(name: string): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `${import.meta.dirname}/${name}_bench.ts`],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  const packages = modules.map(({ specifier }: { specifier: string }) =>
    /^npm:\/(@?[^@]+@[^/]+)/.exec(specifier)?.[1]
  ).filter(Boolean);
  return [...new Set([`deno@${Deno.version.deno}`, ...packages])];
}

/** Runs a benchmark once. Throws if it fails for another reason than a bound. */
async function run(name: string): Promise<Table[]> {
  const report = await Deno.makeTempFile();
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--unstable-kv"],
        `${import.meta.dirname}/${name}_bench.ts`,
        ...quick ? ["--quick"] : [],
      ],
      env: { GATEHOUSE_BENCH_REPORT: report },
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    if (code !== 0 && code !== FAR_BEYOND) {
      throw new Error(`The benchmark "${name}" failed with code ${code}`);
    }
    const lines = (await Deno.readTextFile(report)).split("\n");
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  } finally {
    await Deno.remove(report);
  }
}

/** Returns the bounds that the median of the runs is far beyond. */
function beyond(runs: readonly Table[][]): string[] {
  const [first = []] = runs;
  return first.flatMap((table, place) =>
    table.bounds.flatMap(({ of, to, most }, index) => {
      const ratio = medianOf(
        runs.map((tables) => tables[place]!.bounds[index]!.ratio),
      );
      return ratio > most * TOLERANCE
        ? [`${table.title}: ${of} takes ${ratio.toFixed(2)} of ${to}`]
        : [];
    })
  );
}
