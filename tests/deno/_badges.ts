/**
 * Draws the badges of the README. If one is out of date, run
 * `deno run -A tests/deno/_badges.ts` and `deno fmt`.
 */
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);

/** The picture of the badges. */
export const BADGES = new URL("docs/images/badges.svg", ROOT);

/** Returns the name and the value of each badge. */
export async function badges(): Promise<[name: string, value: string][]> {
  const file = new URL("router/check_runtime.ts", ROOT);
  const source = await Deno.readTextFile(file);
  const [, list = ""] = /update to ([^"]+)"/.exec(source) ?? [];
  return [
    ["version", config.version],
    ["license", config.license],
    ...[...list.matchAll(/(\w+) ([\d.]+)/g)].map(
      ([, name, version]): [string, string] => [name, `${version}+`],
    ),
    ["Workers", "workerd"],
  ];
}

/** Draws badges next to each other, as SVG. */
function drawBadges(list: readonly [string, string][]): string {
  let x = 0;
  const parts = list.map(([name, value]) => {
    const [left, right] = [name, value].map((text) => 14 + text.length * 7);
    const at = x;
    x += left + right + 6;
    return `<path fill="#444d5c" d="M${at} 0h${left}v20h-${left}z"/>
<path fill="#2563eb" d="M${at + left} 0h${right}v20h-${right}z"/>
<text x="${at + left / 2}" y="14">${name}</text>
<text x="${at + left + right / 2}" y="14">${value}</text>`;
  });
  const label = list.map((badge) => badge.join(" ")).join(", ");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="20" role="img" aria-label="${label}">
<style>text { font: 12px system-ui, sans-serif; fill: #fff; text-anchor: middle }</style>
${parts.join("\n")}
</svg>
`;
}

if (import.meta.main) {
  await Deno.writeTextFile(BADGES, drawBadges(await badges()));
}
