import { deno } from "../deno/_programs.ts";
import type { Table } from "./_measure.ts";
import { summaryChart } from "./_summary_chart.ts";
import {
  compare,
  runtimeOf,
  RUNTIMES,
  type Topic,
  TOPICS,
  type Work,
} from "./_topics.ts";

const ROOT = new URL("../../", import.meta.url);
const DATA = new URL("docs/benchmarks.json", ROOT);

/**
 * Saves the new tables next to those of earlier runs, and writes the generated
 * parts of the documentation.
 */
export async function writePages(fresh: readonly Table[]): Promise<void> {
  const tables = new Map(
    [...await readTables(), ...fresh].map((table) => [keyOf(table), table]),
  );
  const all = [...tables.values()]
    .toSorted((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
  await Deno.writeTextFile(DATA, JSON.stringify(all));
  const written = [DATA.pathname];
  for (const [path, text] of filesOf(all)) {
    const file = new URL(path, ROOT);
    await Deno.writeTextFile(file, text);
    written.push(file.pathname);
  }
  await deno(["fmt", ...written], { cwd: ROOT });
}

/** Returns the generated files: unformatted contents by path. */
export function filesOf(tables: readonly Table[]): Map<string, string> {
  return new Map([
    ["docs/benchmarks.md", pageOf(tables)],
    ["docs/images/bench_summary.svg", summaryChart(tables)],
  ]);
}

/** Reads the tables of the last long run. */
export async function readTables(): Promise<Table[]> {
  try {
    return JSON.parse(await Deno.readTextFile(DATA));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function keyOf(table: Table): string {
  return `${table.title}, ${runtimeOf(table)}`;
}

function pageOf(tables: readonly Table[]): string {
  return `# Benchmarks

\`deno task bench\` measures all of this and writes this page. Each figure is our time divided by that of the
fastest other library, which the table names: 0.5 is half its time, and above 1
the other library is faster. A dash means that a figure was not measured yet.
Times are medians of many rounds on one machine, in which the libraries take
turns. [benchmarks.json](benchmarks.json)
has every figure, with the versions of all packages.

The middleware is \`(_, next) => next()\`. An async middleware awaits the response
of \`next()\`, and returns it. Elysia and itty-router have no \`next\`, so their
middleware does nothing.

![A summary of the benchmarks](images/bench_summary.svg)

${TOPICS.map((topic) => sectionOf(topic, tables)).join("\n")}
${meansOf(tables)}
${missedBounds(tables)}`;
}

function sectionOf({ heading, ran, works }: Topic, all: readonly Table[]) {
  const cells = works.map((work) =>
    RUNTIMES.map((runtime) => cellOf(work, runtime, all))
  );
  // A runtime that the topic was never measured on has no column.
  const columns = RUNTIMES.map((_, index) => index)
    .filter((index) => cells.some((row) => row[index] !== "–"));
  const line = (name: string, row: readonly string[]) =>
    `| ${name} | ${columns.map((index) => row[index]).join(" | ")} |`;
  const rows = `
${line("Measured", RUNTIMES)}
| --- | ${columns.map(() => "---:").join(" | ")} |
${works.map(({ name }, index) => line(name, cells[index]!)).join("\n")}
`;
  return `## ${heading}

${ran}
${columns.length === 0 ? "" : rows}`;
}

function cellOf(work: Work, runtime: string, all: readonly Table[]): string {
  const table = all.find((table) =>
    runtimeOf(table) === runtime && work.title.test(table.title)
  );
  const result = table ? compare(table, work) : null;
  if (result === null) return "–";
  return `${round(result.ratio)} of ${result.peer.split(",")[0]}`;
}

/** Compares every schema library with ours, over all parses. */
function meansOf(all: readonly Table[]): string {
  const tables = all.filter(({ title }) => title.startsWith("all parses"))
    .toSorted((a, b) =>
      RUNTIMES.indexOf(runtimeOf(a) as "Deno") -
      RUNTIMES.indexOf(runtimeOf(b) as "Deno")
    );
  const names = new Set(
    tables.flatMap(({ rows }) => rows.map(({ name }) => name)),
  );
  const lines = [...names].map((name) => {
    const cells = tables.map(({ rows }) => {
      const [own] = rows;
      const row = rows.find((row) => row.name === name);
      return row ? round(row.value / own!.value) : "–";
    });
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return `### All schemas

Each figure is the geometric mean of ten parses, valid and invalid, divided by
that of Gatehouse.

| Library | ${tables.map(runtimeOf).join(" | ")} |
| --- | ${tables.map(() => "---:").join(" | ")} |
${lines.join("\n")}
`;
}

/** Lists the bounds of this project that its own figures exceed. */
function missedBounds(all: readonly Table[]): string {
  const lines = all.flatMap((table) =>
    table.bounds.filter(({ ratio, most }) => ratio > most)
      .map(({ of, to, most, ratio }) =>
        `| ${keyOf(table)} | ${of} | ${to} | ${round(ratio)} | ${round(most)} |`
          .replaceAll("*", "\\*")
      )
  );
  if (lines.length === 0) return "";
  return `## Missed bounds

The benchmarks have bounds, so that we notice a change that costs time. The
latest figures exceed these bounds:

| table | time of | next to | ratio | bound |
| --- | --- | --- | ---: | ---: |
${lines.join("\n")}
`;
}

/** Rounds to two significant digits. */
export function round(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toPrecision(2);
}

if (import.meta.main) await writePages([]);
