import { deno } from "../deno/_programs.ts";
import { chartOf } from "./_chart.ts";
import type { Table } from "./_measure.ts";

const ROOT = new URL("../../", import.meta.url);
const DATA = new URL("docs/benchmarks.json", ROOT);
const PAGE = new URL("docs/benchmarks.md", ROOT);
const IMAGES = new URL("docs/images/", ROOT);

/**
 * Keeps tables, those of earlier runs too where they were not measured anew,
 * and writes what the documentation shows of them.
 */
export async function writePages(fresh: readonly Table[]): Promise<void> {
  const tables = new Map(
    [...await readTables(), ...fresh].map((table) => [keyOf(table), table]),
  );
  const all = [...tables.values()]
    .toSorted((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
  await Deno.mkdir(IMAGES, { recursive: true });
  await Deno.writeTextFile(DATA, JSON.stringify(all));
  await Deno.writeTextFile(PAGE, pageOf(all));
  for (const table of all) {
    await Deno.writeTextFile(new URL(imageOf(table), IMAGES), chartOf(table));
  }
  const written = [DATA.pathname, PAGE.pathname];
  await deno(["fmt", ...written], { cwd: ROOT });
}

/** The tables of the last long run. */
export async function readTables(): Promise<Table[]> {
  try {
    return JSON.parse(await Deno.readTextFile(DATA));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function keyOf({ title, runtime }: Table): string {
  return `${title} on ${runtime}`;
}

/** The file name of a table's chart. */
export function imageOf(table: Table): string {
  const name = keyOf(table).toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  return `bench_${name}.svg`;
}

function pageOf(tables: readonly Table[]): string {
  return `# Benchmarks

\`deno task bench\` measures, writes this page and draws its charts. Everything in
a table ran interleaved in one process; a value is the median of many rounds.
Compare the columns of one table, never two tables: machines differ.

${tables.map(sectionOf).join("\n")}`;
}

function sectionOf(table: Table): string {
  const { rows, unit, bounds } = table;
  const [base] = rows;
  const lines = rows.map(({ name, value }) =>
    `| ${name} | ${round(value)} | ${round(value / base!.value)} |`
  );
  const notes = bounds.map(({ of, to, most, ratio }) =>
    `- ${of} takes ${round(ratio)} of ${to}; the bound is ${round(most)}`
  );
  return `## ${keyOf(table)}

| | ${unit} | ratio |
| --- | ---: | ---: |
${lines.join("\n")}

${notes.join("\n")}
`;
}

/** Three digits that count, without an exponent. */
export function round(value: number): string {
  return value >= 100
    ? String(Math.round(value))
    : String(Number(value.toPrecision(3)));
}

if (import.meta.main) await writePages([]);
