import { pathStart } from "./_canonical.ts";
import { guardOf } from "./_guard.ts";
import type { Match } from "./_match.ts";
import { requestMethods } from "./method.ts";
import { specificity } from "./_specificity.ts";
import { beginSearch, search } from "./_search.ts";
import { MAX_FORMS } from "./_segments.ts";
import { matchStraight } from "./_straight.ts";
import { Tree } from "./_tree.ts";
import { parsedPattern, type RoutePattern } from "./pattern.ts";

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
   * Finds the most specific route. Routes of the method come before those for
   * any method; HEAD falls back to GET where no HEAD route matches.
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

/** The routes of a method. */
interface Trees<Data> {
  readonly exact: Tree<Data>;
  /** Those that ignore case; `null` where there are none. */
  folded: Tree<Data> | null;
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
  /** The trees by method, in an object because that is quicker than a map. */
  readonly #trees: Record<string, Trees<Data>> = Object.create(null);
  #sequence = 0;
  #hasAny = false;

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
    this.#hasAny ||= method === "ANY";
    const trees = this.#trees[method] ??= {
      exact: new Tree<Data>(false),
      folded: null,
    };
    const tree = ignoreCase ? trees.folded ??= new Tree(true) : trees.exact;
    const same = tree.add(pattern, components, {
      data,
      key: specificity(components),
      sequence: this.#sequence,
      source: pattern.source,
      signature: "",
      guard: components.length > 1
        ? guardOf(pattern, components.filter(({ name }) => name !== "pathname"))
        : null,
      names: [],
      next: null,
    });
    this.#sequence += MAX_FORMS;
    if (same !== null) {
      throw new RangeError(
        `Cannot add the route "${method} ${pattern.source}": "${method} ${same.source}" matches the same URLs`,
      );
    }
  }

  /**
   * Finds the most specific route. Routes of the method come before those for
   * any method; HEAD falls back to GET where no HEAD route matches.
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
    const trees = this.#trees[method];
    const found = start >= 0 && trees?.folded === null
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
    if (found === null && !this.#hasAny && method !== "HEAD") return null;
    if (!beginSearch(url, start)) return null;
    return this.#findIn(method) ??
      (method === "HEAD" ? this.#findIn("GET") : null) ?? this.#findIn("ANY");
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
    for (const method of Object.keys(this.#trees)) {
      if (this.#findIn(method) === null) continue;
      if (method === "ANY") requestMethods.forEach((each) => allowed.add(each));
      else allowed.add(method);
    }
    if (allowed.has("GET")) allowed.add("HEAD");
    return [...allowed].sort();
  }

  #findIn(method: string): Match<Data> | null {
    const trees = this.#trees[method];
    return trees === undefined ? null : search(trees.exact, trees.folded);
  }
}
