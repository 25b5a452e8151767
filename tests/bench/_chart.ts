import type { Table } from "./_measure.ts";

const WIDTH = 720;
const LABEL = 190;
const BAR = 22;
const TOP = 44;

/** The names of our rows. */
const OWN = /^(gatehouse|sealed cookie|memory store)\b/;

/** The style of all charts. */
export const CHART_STYLE =
  `text { font: 13px system-ui, sans-serif; fill: #444 }
.title { font-weight: 600; font-size: 15px; fill: #111 }
.name { text-anchor: end }
.own { fill: #2563eb }
.other { fill: #b6c0cf }
@media (prefers-color-scheme: dark) { text { fill: #bbb } .title { fill: #eee } .other { fill: #5a6472 } }`;

/** Draws a table as bars, the shorter the better, as SVG. */
export function chartOf({ title, runtime, unit, rows }: Table): string {
  const sorted = rows.toSorted((a, b) => a.value - b.value);
  // A bar of more than ten times the next one is cut, or the others would vanish.
  const [last = 0, next = last] = sorted.map(({ value }) => value).reverse();
  const longest = last > 10 * next ? next : last;
  const room = WIDTH - LABEL - 90;
  const height = TOP + sorted.length * (BAR + 6) + 12;
  const bars = sorted.map(({ name, value }, index) => {
    const y = TOP + index * (BAR + 6);
    const isCut = value > longest;
    const width = Math.min(room, Math.max(1, value / longest * room));
    const middle = y + BAR / 2 + 4;
    const kind = OWN.test(name) ? "own" : "other";
    return `<text class="name" x="${LABEL - 8}" y="${middle}">${
      escapeXML(name)
    }</text>
<rect class="${kind}" x="${LABEL}" y="${y}" width="${
      width.toFixed(1)
    }" height="${BAR}" rx="3"/>
<text x="${(LABEL + width + 6).toFixed(1)}" y="${middle}">${barLabel(value)}${
      isCut ? " …" : ""
    }</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${
    escapeXML(title)
  }">
<style>
${CHART_STYLE}
</style>
<text class="title" x="8" y="24">${
    escapeXML(title)
  }, ${runtime} (${unit}, less is better)</text>
${bars.join("\n")}
</svg>
`;
}

/** Returns the figure at the end of a bar. */
export function barLabel(value: number): string {
  return value >= 1000
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}

/** Escapes text for XML. */
export function escapeXML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;");
}
