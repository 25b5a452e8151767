// Finds the routes of a router and of the routers mounted on it.

import {
  descriptionOf,
  type MiddlewareDescription,
} from "../middleware/describe_middleware.ts";
import type { Middleware } from "../middleware.ts";
import type { CollectedRoute, Mount, Registered } from "../mount.ts";

/** A route with the mounts and the middleware before it. */
export interface FoundRoute {
  readonly route: CollectedRoute;
  /** The prefix of all mounts around the route. */
  readonly prefix: string;
  /** The descriptions of the middleware before the handler, the first outermost. */
  readonly before: readonly MiddlewareDescription[];
}

/** Returns all routes, and the prefixes of mounts that are not routers. */
export function findRoutes(
  { entries, middleware }: Registered,
  prefix = "",
  outer: readonly MiddlewareDescription[] = [],
  above: readonly Registered[] = [],
): { routes: FoundRoute[]; foreign: string[] } {
  const routes: FoundRoute[] = [];
  const foreign: string[] = [];
  const before = [...outer, ...descriptionsOf(middleware)];
  for (const entry of entries) {
    if (!isMount(entry)) {
      const own = descriptionsOf(entry.middleware);
      routes.push({ route: entry, prefix, before: [...before, ...own] });
      continue;
    }
    const path = prefix + entry.prefix;
    // A router that is mounted on itself has endless paths.
    if (entry.target === undefined || above.includes(entry.target)) {
      foreign.push(path);
      continue;
    }
    const chain = [...above, entry.target];
    const inner = findRoutes(entry.target, path, before, chain);
    routes.push(...inner.routes);
    foreign.push(...inner.foreign);
  }
  return { routes, foreign };
}

function isMount(entry: CollectedRoute | Mount): entry is Mount {
  return "target" in entry;
}

function descriptionsOf(list: readonly Middleware[]): MiddlewareDescription[] {
  return list.map(descriptionOf).filter((one) => one !== undefined);
}
