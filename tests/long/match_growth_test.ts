import { assertLess } from "@std/assert";
import { gatehouse } from "../bench/_match_routers.ts";
import { generateRoutes, pathOf } from "../bench/github_routes.ts";

// The shortest of many times, which take turns, so that other load hardly counts.
// The ratio is 1.1 on a quiet machine, and would be 100 if every route were tried.
Deno.test("the time of a match hardly grows with the number of routes", () => {
  const [few, many] = [10, 1_000].map(matchesAmong);
  const shortest = [Infinity, Infinity];
  for (let round = 0; round < 200; round++) {
    shortest[0] = Math.min(shortest[0]!, timeOf(few!));
    shortest[1] = Math.min(shortest[1]!, timeOf(many!));
  }
  assertLess(shortest[1]! / shortest[0]!, 5);
});

/** Returns a function that finds 1,000 routes, among so many. */
function matchesAmong(count: number): () => void {
  const routes = generateRoutes(count);
  const find = gatehouse(routes);
  const calls = Array.from({ length: 1_000 }, (_, index) => {
    const [method, route] = routes[(index * 7_919) % count]!;
    const path = pathOf(route, index);
    return [method, `http://localhost:8000${path}`, path] as const;
  });
  return () => {
    for (const [method, url, path] of calls) find(method, url, path);
  };
}

function timeOf(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
