import { deno } from "../deno/_programs.ts";
import { chartOf } from "./_chart.ts";
import type { Table } from "./_measure.ts";
import { summaryChart, type SummaryGroup } from "./_summary_chart.ts";

const ROOT = new URL("../../", import.meta.url);
const DATA = new URL("docs/benchmarks.json", ROOT);
const IMAGES = new URL("docs/images/", ROOT);

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
  await Deno.mkdir(IMAGES, { recursive: true });
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
  const files = new Map([
    ["docs/benchmarks.md", pageOf(tables)],
    ["docs/images/bench_summary.svg", summaryChart(tables, SUMMARY)],
  ]);
  for (const table of tables) {
    const image = imageOf(table);
    if (image !== null) files.set(`docs/images/${image}`, chartOf(table));
  }
  return files;
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

/**
 * Returns a title with the runtime. Server tables have the runtime in the
 * title.
 */
function keyOf({ title, runtime }: Table): string {
  const end = ` on ${runtime}`;
  const isTold = title.endsWith(end) ||
    /\b(?:Deno\.serve|Bun\.serve|on Node|workerd)\b/.test(title);
  return isTold ? title : title + end;
}

/** Returns the file name of a table's chart, or `null` without a chart. */
function imageOf({ title, runtime }: Table): string | null {
  const line = SUMMARY.find((line) => line.title.test(title));
  return line ? `bench_${line.chart}_${runtime.toLowerCase()}.svg` : null;
}

/** A group of the summary, with a chart of the whole table. */
interface Line extends SummaryGroup {
  /** The name of the work in the file of the chart. */
  readonly chart: string;
}

/** The work that the summary shows. */
const SUMMARY: readonly Line[] = [
  {
    work: "Find one of GitHub's 310 routes",
    chart: "match",
    title: /^GitHub-like:/,
    of: "gatehouse",
    to: "hono SmartRouter",
    libraries: /./,
  },
  {
    work: "Dispatch behind five middleware",
    chart: "dispatch",
    title: /^dispatch, param route, five middleware/,
    of: "gatehouse",
    to: "hono",
    libraries: /^(?!bare)/,
  },
  {
    work: "Dispatch behind five async middleware",
    chart: "dispatch_async",
    title: /^dispatch, param route, five async/,
    of: "gatehouse",
    to: "hono",
    libraries: /^(?!bare)/,
  },
  {
    work: "Validate a form or an order",
    chart: "schema",
    title: /^all parses/,
    of: "gatehouse",
    to: "zod",
    libraries: /./,
  },
  {
    work: "Read a session from a cookie",
    chart: "session",
    title: /^Session, reading/,
    of: "gatehouse, sealed cookie",
    to: "iron-session",
    libraries: /^(?:iron-session|h3|@remix-run|@hono\/session, sealed)/,
  },
  {
    work: "Write a log line",
    chart: "log",
    title: /^Request log$/,
    of: "gatehouse, combined",
    to: "hono, not escaped",
    libraries: /^(?:hono|@remix-run)/,
  },
];

function pageOf(tables: readonly Table[]): string {
  return `# Benchmarks

\`deno task bench\` measures all of this, writes this page and draws the charts.
Times are medians of many rounds on one machine, in which the competitors take
turns. Compare the columns of one table, not of two: machines differ.

A middleware is \`(_, next) => next()\`. An async one awaits the response of
\`next()\`, and returns it. Elysia and itty-router have no \`next\`: theirs do
nothing. \`bare\` is a handler without a router.

![A summary of the benchmarks](images/bench_summary.svg)

${tables.map(sectionOf).join("\n")}`;
}

function sectionOf(table: Table): string {
  const { rows, unit, bounds, versions = [] } = table;
  const [base] = rows;
  const lines = rows.map(({ name, value }) =>
    // Patterns have asterisks, which would be emphasis.
    `| ${name.replaceAll("*", "\\*")} | ${round(value)} | ${
      round(value / base!.value)
    } |`
  );
  const notes = bounds.map(({ of, to, most, ratio }) =>
    `- ${of} takes ${round(ratio)} of ${to}; the bound is ${round(most)}`
  );
  const packages = versions.map((version) => `\`${version}\``);
  const image = imageOf(table);
  const picture = image === null
    ? ""
    : `![The same as a chart](images/${image})`;
  return `## ${keyOf(table)}

${picture}

| | ${unit} | ratio |
| --- | ---: | ---: |
${lines.join("\n")}

${fastestLibrary(table)}

${notes.join("\n")}

${packages.length > 0 ? `Versions: ${packages.join(", ")}` : ""}
`;
}

/** Rows that are not a library, or are a variant of ours. */
const NOT_RANKED = /^(?:bare|no |one |memory, by hand|console\.log|gatehouse )/;

/**
 * Returns a sentence with the fastest library of a table that compares ours with
 * others, even if ours is slower.
 */
function fastestLibrary({ title, rows, unit }: Table): string {
  const libraries = rows.filter(({ name }) => !NOT_RANKED.test(name))
    .toSorted((a, b) => a.value - b.value);
  const isOurs = ({ name }: { name: string }) => name.startsWith("gatehouse");
  const isRace = libraries.some(isOurs) && !libraries.every(isOurs);
  // Log formats write different fields, so their times are not comparable.
  const isComparable = !unit.startsWith("bytes") && !/formats$/.test(title);
  if (!isRace || !isComparable) return "";
  return `The fastest library is ${libraries[0]!.name}.`;
}

/** Rounds to three significant digits, without an exponent. */
export function round(value: number): string {
  return value >= 100
    ? String(Math.round(value))
    : String(Number(value.toPrecision(3)));
}

if (import.meta.main) await writePages([]);
