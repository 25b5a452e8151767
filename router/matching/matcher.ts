import type { RoutePattern } from "../pattern/route_pattern.ts";

/** A route that matches a URL. */
export interface Match<Data> {
  /** The data that the route was added with. */
  readonly data: Data;
  /**
   * The params by name, percent-decoded, in an object without a prototype.
   * Params of optional parts that are not in the URL have no key.
   */
  readonly params: Record<string, string>;
}

/** Finds the route for a method and a URL. */
export interface Matcher<Data> {
  /**
   * Adds a route.
   *
   * @param method The method, or `"ANY"`.
   * @param pattern The pattern.
   * @param data The data of the route, for its matches.
   * @throws {RangeError} If the same method has an equivalent pattern.
   */
  add(method: string, pattern: RoutePattern, data: Data): void;

  /**
   * Finds the most specific route. If several are equal, a route of the method
   * wins over one for any method. HEAD falls back to GET unless a HEAD route
   * wins.
   *
   * @param method The method of the request.
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The match, or `null` if no route matches.
   */
  match(method: string, url: string): Match<Data> | null;

  /**
   * Returns the methods that have a route for a URL.
   *
   * @param url The URL of the request, in the form of `new URL(url).href`.
   * @returns The methods in alphabetical order; empty if no route matches.
   */
  allowedMethods(url: string): string[];
}

/** The params of every match without params. */
export const NO_PARAMS: Record<string, string> = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.create(null),
);
