import { requestMethods } from "../method.ts";
import type { Component } from "../pattern/components.ts";
import { parsedPattern, type RoutePattern } from "../pattern/route_pattern.ts";
import { isLiteral, MAX_FORMS } from "../pattern/segments.ts";
import { pathStart } from "./canonical_url.ts";
import { createComponentMatcher } from "../pattern/component_matcher.ts";
import { searchFast } from "./_fast_search.ts";
import type { Match, Matcher } from "./matcher.ts";
import {
  ANY_METHOD,
  type Leaf,
  RouteTree,
  type RouteTrees,
  type TreeRoute,
} from "./_route_tree.ts";
import { Search } from "./_search.ts";

/**
 * The matcher that routers use by default.
 *
 * @example Matching a URL
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
 *
 * const matcher = new ArrayMatcher<string>();
 * matcher.add("GET", new RoutePattern("/users/:id"), "user");
 *
 * const match = matcher.match("GET", "https://example.com/users/7");
 * assertEquals(match?.data, "user");
 * assertEquals(match?.params.id, "7");
 * ```
 *
 * @typeParam Data The data of a route.
 */
export class ArrayMatcher<Data> implements Matcher<Data> {
  /** The routes for any host, and for hosts with groups. */
  readonly #routes = new RouteTable<Data>();
  /**
   * The routes of each literal host; `null` without any. They win over all
   * others. If all shared one tree, 5,000 hosts with the same path would be
   * searched one by one.
   */
  #hosts: Map<string, RouteTable<Data>> | null = null;
  /** The methods of all routes. */
  readonly #methods: string[] = [];
  #sequence = 0;
  /** The marks of the current search. Only one runs at a time. */
  readonly #marks: number[] = [];

  /** Creates a matcher without routes. */
  constructor() {}

  /**
   * Adds a route.
   *
   * @param method The method, or `"ANY"`.
   * @param pattern The pattern.
   * @param data The data of the route, for its matches.
   * @throws {RangeError} If the same method has an equivalent pattern.
   */
  add(method: string, pattern: RoutePattern, data: Data): void {
    const { components, ignoreCase } = parsedPattern(pattern);
    const isPath = components.length === 1;
    const host = isPath ? undefined : literalHost(components);
    const others = isPath
      ? []
      : components.filter(({ name }) =>
        name !== "pathname" && (host === undefined || name !== "hostname")
      );
    const same = this.#tableOf(host).add(method, ignoreCase, {
      data,
      sequence: this.#sequence + (method === "ANY" ? ANY_METHOD : 0),
      source: pattern.source,
      components,
      names: pattern.paramNames,
      matchComponents: others.length > 0
        ? createComponentMatcher(others, ignoreCase)
        : null,
    });
    this.#sequence += MAX_FORMS;
    if (!this.#methods.includes(method)) this.#methods.push(method);
    if (same !== null) {
      throw new RangeError(
        `Cannot add the route "${method} ${pattern.source}": "${method} ${same.source}" matches the same URLs`,
      );
    }
  }

  #tableOf(host: string | undefined): RouteTable<Data> {
    if (host === undefined) return this.#routes;
    this.#hosts ??= new Map();
    const table = this.#hosts.get(host) ?? new RouteTable();
    this.#hosts.set(host, table);
    return table;
  }

  /**
   * Finds the most specific route. If several are equal, a route of the method
   * wins over one for any method. HEAD falls back to GET unless a HEAD route
   * wins.
   *
   * @param method The method of the request.
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @param start The index of its path, if it is known.
   * @returns The match, or `null` if no route matches.
   * @throws {HTTPError} With the status 414 if the path is too long for a pattern.
   */
  match(
    method: string,
    url: string,
    start: number = pathStart(url),
  ): Match<Data> | null {
    const match = this.#matchFast(method, url, start);
    return match === undefined ? this.#search(method, url, start) : match;
  }

  /** Returns `undefined` if only a slow search can tell. */
  #matchFast(
    method: string,
    url: string,
    start: number,
  ): Match<Data> | null | undefined {
    const trees = this.#routes.trees[method];
    // HEAD compares its match with the routes for GET.
    return start >= 0 && trees?.folded === null &&
        this.#hosts === null && method !== "HEAD"
      ? searchFast(trees.exact, url, start, this.#marks)
      : undefined;
  }

  #search(method: string, url: string, start: number): Match<Data> | null {
    const search = Search.start<Data>(url, start);
    if (search === null) return null;
    const match = this.#find(search, method);
    return method === "HEAD" && (match === null || search.isForAny)
      ? this.#find(search, "GET")
      : match;
  }

  /**
   * Returns the methods that have a route for a URL.
   *
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The methods in alphabetical order; empty if no route matches.
   */
  allowedMethods(url: string): string[] {
    const start = pathStart(url);
    let search: Search<Data> | null | undefined;
    const found: string[] = [];
    // With `filter` and a closure, a 404 takes 5 % longer on JavaScriptCore.
    for (const method of this.#methods) {
      let match = this.#matchFast(method, url, start);
      if (match === undefined) {
        search ??= Search.start<Data>(url, start);
        match = search && this.#find(search, method);
      }
      if (match !== null) found.push(method);
    }
    // This is the common case: scanners ask for paths that no method has.
    if (found.length === 0) return found;
    const allowed = new Set(found);
    if (allowed.delete("ANY")) {
      for (const method of requestMethods) allowed.add(method);
    }
    if (allowed.has("GET")) allowed.add("HEAD");
    return [...allowed].sort();
  }

  #find(search: Search<Data>, method: string): Match<Data> | null {
    const table = this.#hosts?.get(search.host);
    return search.find(table?.treesOf(method)) ??
      search.find(this.#routes.treesOf(method));
  }
}

/** Routes by method. */
class RouteTable<Data> {
  /** An object, because that is faster than a map. */
  readonly trees: Record<string, RouteTrees<Data>> = Object.create(null);
  /** Functions that add the routes for any method, which all trees have. */
  readonly #any: ((trees: RouteTrees<Data>) => Leaf<Data> | null)[] = [];

  /** Adds a route, unless there is an equivalent one, which it returns. */
  add(
    method: string,
    ignoreCase: boolean,
    route: TreeRoute<Data>,
  ): Leaf<Data> | null {
    const add = (trees: RouteTrees<Data>) =>
      (ignoreCase ? trees.folded ??= new RouteTree(true) : trees.exact)
        .add(route);
    if (this.trees[method] === undefined) {
      const trees = { exact: new RouteTree<Data>(false), folded: null };
      this.trees[method] = trees;
      for (const addAny of this.#any) addAny(trees);
    }
    const same = add(this.trees[method]);
    if (same !== null || method !== "ANY") return same;
    this.#any.push(add);
    for (const [method, trees] of Object.entries(this.trees)) {
      if (method !== "ANY") add(trees);
    }
    return null;
  }

  /** Returns the trees with the routes for a method. */
  treesOf(method: string): RouteTrees<Data> | undefined {
    return this.trees[method] ?? this.trees.ANY;
  }
}

/** Returns the hostname of a pattern if it has no groups. */
function literalHost(components: readonly Component[]): string | undefined {
  const host = components.find(({ name }) => name === "hostname");
  return host?.parts.every(isLiteral)
    ? host.parts.map(({ prefix }) => prefix).join("")
    : undefined;
}
