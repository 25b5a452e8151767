import findMyWay from "npm:find-my-way@9.10.1";
import { benchMatch } from "./_match.ts";
import { finish, printTable } from "./_measure.ts";
import type { Find } from "./_match_routers.ts";
import { benchOnBun } from "./_on_bun.ts";
import type { BenchRoute } from "./github_routes.ts";

/**
 * Creates find-my-way. It needs Node's modules, so only Deno's tables have it.
 */
function findMyWayRouter(routes: readonly BenchRoute[]): Find {
  const router = findMyWay();
  for (const [method, path] of routes) {
    router.on(method as "GET", path, () => path);
  }
  return (method, _, path) => router.find(method as "GET", path);
}

/** Measures the bytes for each of 10,000 routes, in a separate process. */
async function memoryOf(name: string): Promise<number> {
  const script = new URL("_match_memory.ts", import.meta.url).pathname;
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", script, name],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure the memory of ${name}`);
  return Number(new TextDecoder().decode(stdout));
}

const quick = Deno.args.includes("--quick");
const onDeno = await benchMatch(quick, { "find-my-way": findMyWayRouter });
const [theirs, ours] = [await memoryOf("memoirist"), await memoryOf("ours")];
const fits = printTable(
  "memory of a route",
  new Map([["memoirist", theirs], ["gatehouse", ours]]),
  [{ of: "gatehouse", to: "memoirist", most: 2 }],
  "bytes",
);
const onBun = await benchOnBun(
  new URL("_match.ts", import.meta.url),
  `benchMatch(${quick})`,
);
finish(onDeno && fits && onBun);
