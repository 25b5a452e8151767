/**
 * Runs every benchmark of this folder, or those that are named, one after the
 * other. A long run keeps its tables in `docs/benchmarks.json`, and writes the
 * page and draws the charts of the documentation from them. With `--quick` it
 * only tells whether a ratio is far beyond its bound.
 */
import type { Table } from "./_measure.ts";
import { writePages } from "./_pages.ts";

/**
 * The number of attempts of a quick benchmark. Noise makes some of them fail.
 */
const ATTEMPTS = 4;

const quick = Deno.args.includes("--quick");
const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
const all = await benchmarks();
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.log(`No such benchmark: ${unknown.join(", ")}`);
  Deno.exit(1);
}
const names = wanted.length === 0 ? all : wanted;

const failed: string[] = [];
const tables: Table[] = [];
for (const name of names) {
  console.log(`\n# ${name}`);
  const result = await run(name);
  const versions = await versionsOf(name);
  tables.push(...result.tables.map((table) => ({ ...table, versions })));
  if (!result.holds) failed.push(name);
}
if (!quick) await writePages(tables);
if (failed.length > 0) {
  console.log(`\nFar beyond a bound: ${failed.join(", ")}`);
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

async function run(
  name: string,
): Promise<{ holds: boolean; tables: Table[] }> {
  const report = await Deno.makeTempFile();
  try {
    for (let attempt = 1;; attempt++) {
      await Deno.truncate(report);
      const { success } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--unstable-kv"],
          `${import.meta.dirname}/${name}_bench.ts`,
          ...quick ? ["--quick"] : [],
        ],
        env: { GATEHOUSE_BENCH_REPORT: report },
        stdout: "inherit",
        stderr: "inherit",
      }).output();
      if (!success && quick && attempt < ATTEMPTS) continue;
      const lines = (await Deno.readTextFile(report)).split("\n");
      const tables = lines.filter(Boolean).map((line) => JSON.parse(line));
      return { holds: success, tables };
    }
  } finally {
    await Deno.remove(report);
  }
}
