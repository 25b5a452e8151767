import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { Random } from "../_random.ts";

const origin = "https://example.com";

Deno.test("each of 3,000 routes matches in any order of registration", () => {
  const random = new Random(11);
  const words = Array.from({ length: 40 }, (_, i) => `word-${i}-é`);
  const routes = new Map<string, string>();
  while (routes.size < 3_000) {
    let [pattern, path] = ["", ""];
    for (const name of ["a", "b", "c", "d"]) {
      const word = random.pick(words);
      const isParam = random.chance(0.3);
      pattern += isParam ? `/:${name}` : `/${word}`;
      path += `/${isParam ? `v${random.below(1_000)}` : word}`;
    }
    // A path for each pattern, without the names of its params.
    routes.set(pattern, path);
  }
  const entries = [...routes].toSorted(() => random.chance(0.5) ? 1 : -1);
  const matcher = new ArrayMatcher<string>();
  for (const [pattern] of entries) {
    matcher.add("GET", new RoutePattern(pattern), pattern);
  }
  for (const [pattern, path] of entries) {
    const match = matcher.match("GET", origin + path);
    const values = path.split("/").filter((_, i) =>
      match!.data.split("/")[i]!.startsWith(":")
    );
    assertEquals(Object.values(match!.params), values, path);
    // Another route may match if it is more specific.
    const isFixed = (text: string) => text.includes("/:") ? 1 : 0;
    assertEquals(isFixed(match!.data) <= isFixed(pattern), true, path);
    assertEquals(matcher.match("GET", `${origin}${path}/none`), null);
  }
});
