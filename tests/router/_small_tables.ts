/**
 * Compares the matcher with the oracle in small tables of short patterns, which
 * overlap a lot, for every short path.
 */
import { assert, assertEquals } from "@std/assert";
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { Oracle } from "./_oracle.ts";
import { Random } from "./_random.ts";

/** A segment of a pattern; the names of params get the segment's number. */
const SEGMENTS = [
  "/a",
  "/a",
  "/b",
  "/ab",
  "/:x",
  "/:x",
  "/:x?",
  "/:x+",
  "/:x*",
  "/a:x",
  "/:xb",
  "/:x(a)",
  "/a:x?",
  "{/a}?",
  "{/:x}?",
  "/*",
  "*",
];

/** Only segments that the loop for simple cases can handle. */
const SIMPLE = ["/a", "/b", "/ab", "/:x", "/:x", "/*", "/a/*", "/a/:x/*"];

const VALUES = ["a", "b", "ab", "", "abb"];

/** All paths of up to three values. */
const PATHS = VALUES.flatMap((one) => [
  `/${one}`,
  ...VALUES.flatMap((two) => [
    `/${one}/${two}`,
    ...VALUES.map((three) => `/${one}/${two}/${three}`),
  ]),
]);

/** Queries and hashes, which must not change the result. */
const ENDS = ["", "?", "?next=//b/a", "#/a//", "?a#?b"];

/** The patterns of a table. */
export type Segments = "any" | "simple";

/**
 * Compares 150 random tables with the oracle, on all paths.
 *
 * @returns The number of paths that match.
 */
export function compareSmallTables(seed: number, kind: Segments): number {
  const segments = kind === "simple" ? SIMPLE : SEGMENTS;
  const random = new Random(seed);
  const patterns = new Map<string, RoutePattern | null>();
  let found = 0;
  for (let i = 0; i < 150; i++) {
    const matcher = new ArrayMatcher<string>();
    const oracle = new Oracle<string>();
    const sources: string[] = [];
    for (
      const source of random.array(2, 5, () => randomSource(random, segments))
    ) {
      if (!patterns.has(source)) patterns.set(source, create(source));
      const pattern = patterns.get(source)!;
      if (pattern === null) continue;
      const method = random.chance(0.85) ? "GET" : "ANY";
      const data = `${method} ${source}`;
      try {
        matcher.add(method, pattern, data);
      } catch (error) {
        assert(error instanceof RangeError);
        continue;
      }
      oracle.add(method, pattern, data);
      sources.push(data);
    }
    for (const path of PATHS) {
      const url = `https://example.com${path}${random.pick(ENDS)}`;
      const expected = oracle.match("GET", url);
      const actual = matcher.match("GET", url);
      if (expected !== null) found++;
      assertEquals(
        actual && [actual.data, { ...actual.params }],
        expected && [expected.data, { ...expected.params }],
        `${url} in ${sources}`,
      );
    }
  }
  return found;
}

function randomSource(random: Random, choice: readonly string[]): string {
  const segments = random.array(1, 3, () => random.pick(choice));
  return segments.map((text, index) =>
    text.replace("x", `x${index}_`)
      .replace("_b", "_{b}").replace("_", "")
  ).join("");
}

function create(source: string): RoutePattern | null {
  try {
    return new RoutePattern(source);
  } catch {
    return null;
  }
}
