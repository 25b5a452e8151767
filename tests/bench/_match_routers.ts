/** The routers that the benchmark of matching compares, with one face. */
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import MedleyRouter from "npm:@medley/router@0.2.1";
import { createMultiMatcher } from "npm:@remix-run/route-pattern@0.23.0/match";
import { RegExpRouter } from "npm:hono@4.13.19/router/reg-exp-router";
import { SmartRouter } from "npm:hono@4.13.19/router/smart-router";
import { TrieRouter } from "npm:hono@4.13.19/router/trie-router";
import { IttyRouter } from "npm:itty-router@5.0.24";
import { Memoirist } from "npm:memoirist@1.2.2";
import { addRoute, createRouter, findRoute } from "npm:rou3@1.0.0";
import { compileRouter } from "npm:rou3@1.0.0/compiler";
import type { BenchRoute } from "./github_routes.ts";

/** Finds a route; peers get the path ready, ours has to find it in the URL. */
export type Find = (method: string, url: string, path: string) => unknown;

/** Registers routes and returns a function that finds them. */
export type Build = (routes: readonly BenchRoute[]) => Find;

/** Ours: the URL is all that it is given. */
export function gatehouse(routes: readonly BenchRoute[]): Find {
  const matcher = new ArrayMatcher<string>();
  for (const [method, path] of routes) {
    matcher.add(method, new RoutePattern(path), path);
  }
  return (method, url) => matcher.match(method, url);
}

/** Builds the fastest radix tree, which our router is compared with. */
export function memoirist(routes: readonly BenchRoute[]): Find {
  const router = new Memoirist<string>();
  for (const [method, path] of routes) router.add(method, path, path);
  return (method, _, path) => router.find(method, path);
}

function medley(routes: readonly BenchRoute[]): Find {
  const router = new MedleyRouter();
  for (const [method, path] of routes) router.register(path)[method] = path;
  return (method, _, path) => {
    const found = router.find(path);
    return found === null || found.store[method] === undefined ? null : found;
  };
}

function rou3(routes: readonly BenchRoute[]): Find {
  const router = createRouter<string>();
  for (const [method, path] of routes) {
    addRoute(router, method, path.replace(/\*$/, "**"), path);
  }
  return (method, _, path) => findRoute(router, method, path);
}

function rou3Compiled(routes: readonly BenchRoute[]): Find {
  const router = createRouter<string>();
  for (const [method, path] of routes) {
    addRoute(router, method, path.replace(/\*$/, "**"), path);
  }
  const find = compileRouter(router);
  return (method, _, path) => find(method, path);
}

function hono(routes: readonly BenchRoute[]): Find {
  const router = new SmartRouter<string>({
    routers: [new RegExpRouter(), new TrieRouter()],
  });
  for (const [method, path] of routes) router.add(method, path, path);
  return (method, _, path) => {
    const [found] = router.match(method, path);
    return found.length === 0 ? null : found;
  };
}

function itty(routes: readonly BenchRoute[]): Find {
  const router = IttyRouter();
  for (const [method, path] of routes) {
    router[method.toLowerCase()]!(path, () => path);
  }
  // Of a request it reads these two.
  return (method, url) => router.fetch({ method, url } as Request);
}

function remix(routes: readonly BenchRoute[]): Find {
  const matchers = new Map<
    string,
    ReturnType<typeof createMultiMatcher<string>>
  >();
  for (const [method, path] of routes) {
    matchers.getOrInsertComputed(method, () => createMultiMatcher<string>())
      .add(path, path);
  }
  return (method, url) => matchers.get(method)!.match(url);
}

function native(routes: readonly BenchRoute[]): Find {
  const patterns = routes.map(([method, pathname]) =>
    [method, new URLPattern({ pathname })] as const
  );
  return (method, url) => {
    for (const [each, pattern] of patterns) {
      const result = each === method ? pattern.exec(url) : null;
      if (result !== null) return result;
    }
    return null;
  };
}

/** All routers by name. The first one is the baseline. */
export const ROUTERS: Readonly<Record<string, Build>> = {
  memoirist,
  gatehouse,
  "@medley/router": medley,
  "rou3 compiled (eval)": rou3Compiled,
  rou3,
  "hono SmartRouter": hono,
  "@remix-run/route-pattern": remix,
  "itty-router": itty,
  "URLPattern in a list": native,
};
