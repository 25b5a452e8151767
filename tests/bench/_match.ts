/**
 * Matching: the URL of a request to the route and its params, next to others.
 * Peers are given the path; ours finds it in the URL, checks that it is
 * canonical, and decodes. On Deno and on Bun.
 */
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import {
  type BenchRoute,
  generateRoutes,
  githubRoutes,
  pathOf,
} from "./github_routes.ts";
import {
  type Build,
  type Find,
  gatehouse,
  memoirist,
  ROUTERS,
} from "./_match_routers.ts";
import { type Bound, type Candidate, measure, printTable } from "./_measure.ts";

/** A request: its method, its URL, and the path of that. */
type Call = readonly [method: string, url: string, path: string];

const onDeno = navigator.userAgent.startsWith("Deno");

/** Measures every table; tells whether the bounds hold. */
export async function benchMatch(
  quick: boolean,
  more: Readonly<Record<string, Build>> = {},
): Promise<boolean> {
  const rounds = quick ? 30 : 60;
  const verdicts: boolean[] = [];
  const all = { ...ROUTERS, ...more };
  const { "URLPattern in a list": native, ...indexed } = all;
  const table = async (
    title: string,
    routes: readonly BenchRoute[],
    calls: readonly Call[],
    builds: Readonly<Record<string, Build>>,
    bounds: readonly Bound[] = [],
  ) => {
    const medians = await race(routes, calls, builds, rounds);
    const name = `${title}: ${routes.length} routes, ${calls.length} URLs`;
    verdicts.push(printTable(name, medians, bounds));
  };

  const github = callsOf(githubRoutes, 10);
  const fast = quick ? pick(all, ["hono SmartRouter"]) : indexed;
  await table("GitHub-like", githubRoutes, github, fast, [
    bound(onDeno ? 1.3 : 1),
    bound(0.35, "hono SmartRouter"),
  ]);
  const slow = { memoirist, gatehouse, "URLPattern in a list": native! };
  await table("GitHub-like, native", githubRoutes, github, slow, [
    bound(1 / 60, "URLPattern in a list"),
  ]);
  const wildcards: readonly BenchRoute[] = [
    ["GET", "/static/*"],
    ["GET", "/repos/:owner/:repo/contents/*"],
  ];
  const files = callsOf(wildcards, 100);
  const others = quick ? pick(all, []) : indexed;
  await table("wildcards", [...githubRoutes, ...wildcards], files, others, [
    bound(2),
  ]);
  const misses = missesOf(githubRoutes, 10);
  const some = quick ? pick(all, ["@medley/router"]) : indexed;
  await table("miss", githubRoutes, misses, some, [bound(2)]);
  for (const count of [10, 100, 1_000, 10_000]) {
    const routes = generateRoutes(count);
    const some = count > 3_000 ? routes.filter((_, i) => i % 3 === 0) : routes;
    const calls = callsOf(some, Math.ceil(3_000 / some.length));
    const few = pick(
      all,
      count > 1_000 ? ["@medley/router"] : [
        "@medley/router",
        "rou3 compiled (eval)",
        "hono SmartRouter",
      ],
    );
    const bounds = count === 10_000 ? [bound(2)] : [];
    await table(`${count} routes`, routes, calls, few, bounds);
  }
  verdicts.push(await registering(quick ? 5 : 15));
  verdicts.push(await longUrls(rounds));
  return verdicts.every((holds) => holds);
}

function bound(most: number, to = "memoirist"): Bound {
  return { of: "gatehouse", to, most };
}

/** Measures all routers with the same calls, and prints medians per call. */
async function race(
  routes: readonly BenchRoute[],
  calls: readonly Call[],
  builds: Readonly<Record<string, Build>>,
  rounds: number,
): Promise<Map<string, number>> {
  const finds = Object.entries(builds)
    .map(([name, build]) => [name, build(routes)] as const);
  const candidates = finds.map(([name, find]): Candidate => ({
    name,
    run: () => {
      let found = 0;
      for (const [method, url, path] of calls) {
        if (find(method, url, path) !== null) found++;
      }
      return found;
    },
  }));
  const passes = await measure(candidates, { rounds, turns: 1 });
  await demandSame(finds, calls);
  return perCall(passes, calls.length);
}

/**
 * Throws if a router finds fewer routes than the first: it would do less work.
 */
async function demandSame(
  finds: readonly (readonly [name: string, find: Find])[],
  calls: readonly Call[],
): Promise<void> {
  let expected: number | undefined;
  for (const [name, find] of finds) {
    let found = 0;
    for (const [method, url, path] of calls) {
      // Some return `undefined` and one a promise instead of `null`.
      if ((await find(method, url, path) ?? null) !== null) found++;
    }
    expected ??= found;
    if (found !== expected) {
      throw new Error(`${name} finds ${found} routes in place of ${expected}`);
    }
  }
}

function perCall(
  passes: ReadonlyMap<string, number>,
  calls: number,
): Map<string, number> {
  return new Map([...passes].map(([name, time]) => [name, time / calls]));
}

function pick(
  builds: Readonly<Record<string, Build>>,
  names: readonly string[],
): Record<string, Build> {
  const others = names.map((name) => [name, builds[name]!] as const);
  return { memoirist, gatehouse, ...Object.fromEntries(others) };
}

/** Calls of every route with other params each time, in no order. */
function callsOf(routes: readonly BenchRoute[], times: number): Call[] {
  const calls: Call[] = [];
  for (let i = 0; i < routes.length * times; i++) {
    const [method, path] = routes[(i * 7_919) % routes.length]!;
    calls.push(callOf(method, pathOf(path, i * 31 + 7)));
  }
  return calls;
}

/** Calls that no route matches, one segment too many or a word it has not. */
function missesOf(routes: readonly BenchRoute[], times: number): Call[] {
  return callsOf(routes, times).map(([method, _, path], i) =>
    callOf(method, i % 2 === 0 ? `${path}/none/of/them` : `/x${path}`)
  );
}

function callOf(method: string, path: string): Call {
  // As flat in memory as the URL of a request is.
  const url = new URL(`http://localhost:8000${path}`);
  return [method, url.href, url.pathname];
}

/** Registers 10,000 routes and matches once, each time from nothing. */
async function registering(rounds: number): Promise<boolean> {
  const routes = generateRoutes(10_000);
  const [method, url, path] = callOf("GET", pathOf(routes[9_998]![1], 1));
  const candidates = Object.entries({ memoirist, gatehouse })
    .map(([name, build]) => ({
      name,
      run: () => build(routes)(method, url, path),
    }));
  // With one turn, the garbage of a candidate is collected in the other's time.
  const medians = await measure(candidates, { rounds, turns: 5 });
  return printTable("10,000 routes registered, and one match", medians, [
    bound(3),
  ]);
}

const LONG: readonly (readonly [string, (size: number) => string])[] = [
  ["/*", (size) => "/" + "a/".repeat(size / 2)],
  ["/:path+/end", (size) => "/a".repeat(size / 2)],
  ["/:a?/:b?/*/end", (size) => "/a".repeat(size / 2)],
  ["/:a-:b-:c-:d.json", (size) => "/" + "-".repeat(size)],
  ["/x{:a-}?{:b-}?y", (size) => "/x" + "-".repeat(size)],
  ["/*/a/*/b", (size) => "/a".repeat(size / 2)],
];

/** Checks that a URL of twice the length takes at most about twice the time. */
async function longUrls(rounds: number): Promise<boolean> {
  const candidates = LONG.flatMap(([pattern, pathFor]) =>
    [8_000, 16_000].map((size): Candidate => {
      const matcher = new ArrayMatcher<null>();
      matcher.add("GET", new RoutePattern(pattern), null);
      const { href } = new URL(pathFor(size), "http://localhost:8000");
      return {
        name: `${pattern} ${size}`,
        run: () => matcher.match("GET", href),
      };
    })
  );
  const medians = await measure(candidates, { rounds, turns: 5 });
  const bounds = LONG.map(([pattern]): Bound => ({
    of: `${pattern} 16000`,
    to: `${pattern} 8000`,
    most: 2.5,
  }));
  return printTable("URLs of 8,000 and 16,000 characters", medians, bounds);
}
