import { pathStart } from "./canonical_url.ts";
import type { Component } from "../pattern/components.ts";
import { guardOf } from "./component_matcher.ts";
import type { Match } from "./matcher.ts";
import { requestMethods } from "../method.ts";
import { beginSearch, isForAny, search, searchedHost } from "./_search.ts";
import { MAX_FORMS } from "../pattern/segments.ts";
import { matchStraight } from "./_fast_search.ts";
import {
  ANY_METHOD,
  type Leaf,
  Tree,
  type TreeRoute,
  type Trees,
} from "./_tree.ts";
import { parsedPattern, type RoutePattern } from "../pattern/route_pattern.ts";

export type { Match };

/** Finds the route for a method and a URL. */
export interface Matcher<Data> {
  /**
   * Adds a route.
   *
   * @param method The method, or `"ANY"`.
   * @param pattern The pattern.
   * @param data What a match hands back.
   * @throws {RangeError} If the same method has an equivalent pattern.
   */
  add(method: string, pattern: RoutePattern, data: Data): void;

  /**
   * Finds the most specific route. Of equal ones, a route of the method wins
   * over one for any method. HEAD falls back to GET unless a HEAD route wins.
   *
   * @param method The method of the request.
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The match, or `null` where no route matches.
   */
  match(method: string, url: string): Match<Data> | null;

  /**
   * Lists the methods that a URL answers.
   *
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The methods in alphabetical order; none where no route matches.
   */
  allowedMethods(url: string): string[];
}

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
 * @typeParam Data What a match hands back.
 */
export class ArrayMatcher<Data> implements Matcher<Data> {
  /** The routes that name no host, or one with groups. */
  readonly #table = new Table<Data>();
  /** The routes that name a host of fixed text; `null` if there are none. */
  #hosts: Map<string, Table<Data>> | null = null;
  #sequence = 0;

  /** Creates a matcher without routes. */
  constructor() {}

  /**
   * Adds a route.
   *
   * @param method The method, or `"ANY"`.
   * @param pattern The pattern.
   * @param data What a match hands back.
   * @throws {RangeError} If the same method has an equivalent pattern.
   */
  add(method: string, pattern: RoutePattern, data: Data): void {
    const { components, ignoreCase } = parsedPattern(pattern);
    const isPath = components.length === 1;
    const host = isPath ? undefined : fixedHost(components);
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
      guard: others.length > 0 ? guardOf(others, ignoreCase) : null,
    });
    this.#sequence += MAX_FORMS;
    if (same !== null) {
      throw new RangeError(
        `Cannot add the route "${method} ${pattern.source}": "${method} ${same.source}" matches the same URLs`,
      );
    }
  }

  #tableOf(host: string | undefined): Table<Data> {
    if (host === undefined) return this.#table;
    this.#hosts ??= new Map();
    const table = this.#hosts.get(host) ?? new Table();
    this.#hosts.set(host, table);
    return table;
  }

  /**
   * Finds the most specific route. Of equal ones, a route of the method wins
   * over one for any method. HEAD falls back to GET unless a HEAD route wins.
   *
   * @param method The method of the request.
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @param start Where its path begins, where that is known.
   * @returns The match, or `null` where no route matches.
   */
  match(
    method: string,
    url: string,
    start: number = pathStart(url),
  ): Match<Data> | null {
    const trees = this.#table.trees[method];
    // HEAD compares what it finds with the routes for GET.
    const found = start >= 0 && trees?.folded === null &&
        this.#hosts === null && method !== "HEAD"
      ? matchStraight(trees.exact, url, start)
      : undefined;
    return found ?? this.#find(method, url, start, found);
  }

  /** The match of a route of the method, or of one that stands in for it. */
  #find(
    method: string,
    url: string,
    start: number,
    found: null | undefined,
  ): Match<Data> | null {
    const isHead = method === "HEAD";
    if ((found === null && !isHead) || !beginSearch(url, start)) return null;
    const match = this.#findIn(method);
    return isHead && (match === null || isForAny())
      ? this.#findIn("GET")
      : match;
  }

  /**
   * Lists the methods that a URL answers.
   *
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The methods in alphabetical order; none where no route matches.
   */
  allowedMethods(url: string): string[] {
    const allowed = new Set<string>();
    if (!beginSearch(url, pathStart(url))) return [];
    const methods = [this.#table, this.#hostTable()]
      .flatMap((table) => Object.keys(table?.trees ?? {}));
    for (const method of methods) {
      if (this.#findIn(method) === null) continue;
      if (method === "ANY") requestMethods.forEach((each) => allowed.add(each));
      else allowed.add(method);
    }
    if (allowed.has("GET")) allowed.add("HEAD");
    return [...allowed].sort();
  }

  #findIn(method: string): Match<Data> | null {
    return search(
      this.#table.treesOf(method),
      this.#hostTable()?.treesOf(method),
    );
  }

  /** The routes of the host that is searched. */
  #hostTable(): Table<Data> | undefined {
    return this.#hosts?.get(searchedHost());
  }
}

/** The trees by method of some routes. */
class Table<Data> {
  /** An object, because that is faster than a map. */
  readonly trees: Record<string, Trees<Data>> = Object.create(null);
  /** Adds the routes for any method, which are in the trees of all methods. */
  readonly #any: ((trees: Trees<Data>) => Leaf<Data> | null)[] = [];

  /** Adds a route, unless there is an equivalent one, which it returns. */
  add(
    method: string,
    ignoreCase: boolean,
    route: TreeRoute<Data>,
  ): Leaf<Data> | null {
    const add = (trees: Trees<Data>) =>
      (ignoreCase ? trees.folded ??= new Tree(true) : trees.exact).add(route);
    if (this.trees[method] === undefined) {
      const trees = { exact: new Tree<Data>(false), folded: null };
      this.trees[method] = trees;
      for (const add of this.#any) add(trees);
    }
    const same = add(this.trees[method]);
    if (same !== null || method !== "ANY") return same;
    this.#any.push(add);
    for (const [method, trees] of Object.entries(this.trees)) {
      if (method !== "ANY") add(trees);
    }
    return null;
  }

  /** The trees that have the routes for a method. */
  treesOf(method: string): Trees<Data> | undefined {
    return this.trees[method] ?? this.trees.ANY;
  }
}

/** The hostname of a pattern, if it is fixed text. */
function fixedHost(components: readonly Component[]): string | undefined {
  const host = components.find(({ name }) => name === "hostname");
  return host?.parts.every(({ type, modifier }) => type + modifier === "text")
    ? host.parts.map(({ prefix }) => prefix).join("")
    : undefined;
}
