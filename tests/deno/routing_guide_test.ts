/** The tables of docs/routing.md, row by row. */
import { assert, assertEquals } from "@std/assert";
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";

const page = await Deno.readTextFile(
  new URL("../../docs/routing.md", import.meta.url),
);

/** Returns the code in each cell of each row of the table below a heading. */
function rowsOf(heading: string): string[][][] {
  const table = page.slice(page.search(new RegExp(`^\\| ${heading} `, "m")));
  return table.slice(0, table.indexOf("\n\n")).split("\n").slice(2)
    .map((row) =>
      row.split(/(?<!\\)\|/).slice(1, -1)
        .map((cell) =>
          [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
        )
    );
}

function finder(routes: readonly string[]): (url: string) => string | null {
  const matcher = new ArrayMatcher<string>();
  for (const route of routes) {
    const [method, pattern] = route.split(" ");
    matcher.add(method!, new RoutePattern(pattern!), route);
  }
  return (url) => matcher.match("GET", url)?.data ?? null;
}

const winners = rowsOf("Winner");
for (const [[winner], [loser], [url]] of winners) {
  Deno.test(`docs/routing.md is right that ${winner} wins over ${loser}`, () => {
    assertEquals(finder([winner!])(url!), winner);
    assertEquals(finder([loser!])(url!), loser);
    assertEquals(finder([winner!, loser!])(url!), winner);
    // The last rule is about the order.
    if (winner !== "GET /a-:x") {
      assertEquals(finder([loser!, winner!])(url!), winner);
    }
  });
}

const patterns = rowsOf("Pattern");
for (const [[pattern], matching, others] of patterns) {
  Deno.test(`docs/routing.md is right about the matches of ${pattern}`, () => {
    const find = finder([`GET ${pattern}`]);
    const hrefOf = (text: string) => new URL(text, "https://x.test").href;
    for (const text of matching!) assert(find(hrefOf(text)), text);
    for (const text of others!) assertEquals(find(hrefOf(text)), null, text);
  });
}

Deno.test("docs/routing.md has its tables", () => {
  assertEquals([winners.length, patterns.length], [17, 12]);
});
