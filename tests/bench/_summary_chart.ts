import type { Table } from "./_measure.ts";

const WIDTH = 840;
const LABEL = 130;
const ROW = 20;
const GROUP = 94;
const TOP = 58;
const RUNTIMES = ["Deno", "Bun"] as const;

const STYLE = `text { font: 13px system-ui, sans-serif; fill: #444 }
.title { font-weight: 600; font-size: 15px; fill: #111 }
.name { text-anchor: end }
.own { fill: #2563eb }
.other { fill: #b6c0cf }
@media (prefers-color-scheme: dark) { text { fill: #bbb } .title { fill: #eee } .other { fill: #5a6472 } }`;

/** One group of bars in the summary. */
interface Group {
  /** The name of the work. */
  readonly work: string;
  /** The title of the table. */
  readonly title: RegExp;
  /** Our row. */
  readonly of: string;
  /** A well-known library, which is always shown. */
  readonly to: string;
  /** The rows of libraries. A table may also have other rows. */
  readonly libraries: RegExp;
}

/** The work that the summary shows. */
const SUMMARY: readonly Group[] = [
  {
    work: "Find one of GitHub's 310 routes",
    title: /^GitHub-like:/,
    of: "gatehouse",
    to: "hono SmartRouter",
    libraries: /./,
  },
  {
    work: "Dispatch behind five middleware",
    title: /^dispatch, param route, five middleware/,
    of: "gatehouse",
    to: "hono",
    libraries: /^(?!bare)/,
  },
  {
    work: "Dispatch behind five async middleware",
    title: /^dispatch, param route, five async/,
    of: "gatehouse",
    to: "hono",
    libraries: /^(?!bare)/,
  },
  {
    work: "Validate a form or an order",
    title: /^all parses/,
    of: "gatehouse",
    to: "zod (eval)",
    libraries: /./,
  },
  {
    work: "Read a session from a cookie",
    title: /^Session, reading/,
    of: "gatehouse, sealed cookie",
    to: "iron-session",
    libraries: /^(?:iron-session|h3|@remix-run|@hono\/session, sealed)/,
  },
  {
    work: "Write a log line",
    title: /^Request log$/,
    of: "gatehouse, combined",
    to: "hono, not escaped",
    libraries: /^(?:hono|@remix-run)/,
  },
];

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly kind: "own" | "other" | "faster";
}

/** Draws our time next to the fastest and to a well-known other library. */
export function summaryChart(tables: readonly Table[]): string {
  const column = WIDTH / RUNTIMES.length;
  const parts = RUNTIMES.flatMap((runtime, side) => [
    `<text class="title" x="${side * column + 8}" y="46">${runtime}</text>`,
    ...SUMMARY.map((group, index) => {
      const table = tables.find((table) =>
        table.runtime === runtime && group.title.test(table.title)
      );
      if (table === undefined) return "";
      const place = { x: side * column, y: TOP + index * GROUP };
      return groupOf(group.work, barsOf(table, group), place);
    }),
  ]);
  const height = TOP + SUMMARY.length * GROUP;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Time by library">
<style>
${STYLE}
.work { font-weight: 600 }
.faster { fill: #d97706 }
</style>
<text class="title" x="8" y="20">Nanoseconds, less is better: gatehouse in blue, faster libraries in orange</text>
${parts.join("\n")}
</svg>
`;
}

/** Returns our bar, the fastest other library, and the well-known one. */
function barsOf({ rows }: Table, group: Group): Bar[] {
  const own = rows.find(({ name }) => name === group.of)!;
  const others = rows
    .filter(({ name }) => name !== group.of && group.libraries.test(name))
    .toSorted((a, b) => a.value - b.value);
  const known = others.filter(({ name }) => name === group.to);
  const shown = new Set([...others.slice(0, 1), ...known, ...others.slice(1)]);
  return [own, ...[...shown].slice(0, 2)].toSorted((a, b) => a.value - b.value)
    .map(({ name, value }) => ({
      name: name === group.of ? "gatehouse" : name.split(",")[0]!,
      value,
      kind: name === group.of ? "own" : value < own.value ? "faster" : "other",
    }));
}

function groupOf(
  work: string,
  bars: readonly Bar[],
  { x, y }: { readonly x: number; readonly y: number },
): string {
  const longest = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH / RUNTIMES.length - LABEL - 70;
  const lines = bars.map(({ name, value, kind }, index) => {
    const top = y + 20 + index * ROW;
    const width = Math.max(1, value / longest * room);
    const middle = top + ROW / 2 + 3;
    return `<text class="name" x="${x + LABEL - 8}" y="${middle}">${
      escapeXML(name)
    }</text>
<rect class="${kind}" x="${x + LABEL}" y="${top}" width="${
      width.toFixed(1)
    }" height="${ROW - 4}" rx="3"/>
<text x="${(x + LABEL + width + 6).toFixed(1)}" y="${middle}">${
      barLabel(value)
    }</text>`;
  });
  const title = `<text class="work" x="${x + 8}" y="${y + 12}">${
    escapeXML(work)
  }</text>`;
  return [title, ...lines].join("\n");
}

/** Returns the figure at the end of a bar. */
function barLabel(value: number): string {
  return value >= 1000
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}

/** Escapes text for XML. */
function escapeXML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;");
}
