import { assertLess } from "@std/assert";
import { gatehouse } from "../bench/_match_routers.ts";
import { measure } from "../bench/_measure.ts";
import { generateRoutes, pathOf } from "../bench/github_routes.ts";

// A ratio of two times that take turns, so that other load slows both. It is 1.1
// on a quiet machine, and would be 100 if every route were tried.
Deno.test("the time of a match hardly grows with the number of routes", async () => {
  const candidates = [10, 1_000].map((count) => {
    const routes = generateRoutes(count);
    const find = gatehouse(routes);
    const calls = Array.from({ length: 3_000 }, (_, index) => {
      const [method, path] = routes[(index * 7_919) % count]!;
      const url = `http://localhost:8000${pathOf(path, index)}`;
      return [method, url, pathOf(path, index)] as const;
    });
    const run = () => {
      for (const [method, url, path] of calls) find(method, url, path);
    };
    return { name: `${count} routes`, run };
  });
  const times = await measure(candidates, { rounds: 40, turns: 1 });
  assertLess(times.get("1000 routes")! / times.get("10 routes")!, 5);
});
