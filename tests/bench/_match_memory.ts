/**
 * The memory that 10,000 routes take, in bytes for each: run with
 * `--v8-flags=--expose-gc` and the name of a router.
 */
import { generateRoutes } from "./github_routes.ts";
import { gatehouse, memoirist } from "./_match_routers.ts";

const { gc } = globalThis as unknown as { gc: () => void };
const COUNT = 10_000;

const build = Deno.args[0] === "memoirist" ? memoirist : gatehouse;
const routes = generateRoutes(COUNT);
// Builds the parts that do not depend on the number of routes.
build(generateRoutes(10))("GET", "http://localhost/none", "/none");
const before = used();
const find = build(routes);
find("GET", "http://localhost/none", "/none");
const bytes = (used() - before) / COUNT;
console.log(bytes.toFixed(0));
// Alive until here.
if (find("GET", "http://localhost/none", "/none") !== null) Deno.exit(1);

function used(): number {
  for (let i = 0; i < 5; i++) gc();
  return Deno.memoryUsage().heapUsed;
}
