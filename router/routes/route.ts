import { methodsOf, type RouteMethod } from "../method.ts";
import type { Params } from "../pattern/params.ts";
import { type PatternInput, RoutePattern } from "../pattern/route_pattern.ts";
import type { SearchInput } from "../pattern/route_pattern.ts";
import {
  checkOperation,
  type NoOperation,
  type Operation,
  type OperationCheck,
} from "./operation.ts";

// With exactOptionalPropertyTypes, callers may still pass the param of an optional
// part, which is a string or undefined.
/** The arguments of `href`: the params of the pattern, then search params. */
export type HrefArguments<Pattern extends string> = string extends Pattern
  ? [params?: HrefParams, search?: SearchInput]
  : keyof Params<Pattern> extends never
    ? [params?: Record<string, never>, search?: SearchInput]
  : Partial<Params<Pattern>> extends Params<Pattern> ? [
      params?: {
        readonly [Name in keyof Params<Pattern>]:
          | Params<Pattern>[Name]
          | number
          | undefined;
      },
      search?: SearchInput,
    ]
  : [
    params: {
      readonly [Name in keyof Params<Pattern>]:
        | Params<Pattern>[Name]
        | number
        | (Record<never, never> extends Pick<Params<Pattern>, Name> ? undefined
          : never);
    },
    search?: SearchInput,
  ];

/** The params of `href` if the pattern is unknown. */
export type HrefParams = Readonly<Record<string, string | number | undefined>>;

/**
 * A method and a pattern, to register a handler and to build links.
 *
 * @example Building a link
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Route } from "@gatehouse/web/fetch-router/routes";
 *
 * const show = new Route("GET", "/users/:id");
 * assertEquals(show.href({ id: "a b" }), "/users/a%20b");
 * ```
 *
 * @example A route that describes itself
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, string } from "@gatehouse/web/data-schema";
 * import { Route } from "@gatehouse/web/fetch-router/routes";
 *
 * const create = new Route("POST", "/notes", {
 *   summary: "Creates a note",
 *   json: object({ text: string() }),
 * });
 * assertEquals(create.operation.summary, "Creates a note");
 * ```
 *
 * @typeParam Method The method, several methods, or `"ANY"`.
 * @typeParam Pattern The pattern as a string.
 * @typeParam Description The description.
 */
export class Route<
  const Method extends RouteMethod = RouteMethod,
  const Pattern extends string = string,
  const Description extends Operation = NoOperation,
> {
  /** The method or the methods that the route answers. */
  readonly method: Method;

  /** The pattern that the route matches. */
  readonly pattern: RoutePattern;

  /** The description; an empty object without one. */
  readonly operation: Description;

  /** The name in the route map, such as `notes.create`; empty without a map. */
  readonly name: string = "";

  /** The type of the pattern. Never present at run time. */
  declare readonly source?: Pattern;

  /**
   * Creates a route.
   *
   * @param method The method, several methods, or `"ANY"`.
   * @param pattern The pattern.
   * @param operation The description.
   * @throws {TypeError} If the method, the pattern or the description is invalid.
   */
  constructor(
    method: Method,
    pattern: Pattern | Exclude<PatternInput, string> | RoutePattern,
    operation?: Description & OperationCheck<Description>,
  ) {
    methodsOf(method as RouteMethod);
    this.method = method;
    this.pattern = pattern instanceof RoutePattern
      ? pattern
      : new RoutePattern(pattern);
    this.operation = operation ?? {} as Description;
    checkOperation(this.operation, this.pattern.source);
  }

  /**
   * Builds a URL that this route matches with the same params.
   *
   * @param args The params, required if the pattern has some, and the search
   * params.
   * @returns The path; for a pattern with a hostname, the whole URL.
   * @throws {TypeError} If params are missing, or no URL can carry them.
   */
  href(...args: HrefArguments<Pattern>): string {
    const [params, search] = args as [HrefParams?, SearchInput?];
    return this.pattern.href(params, search);
  }
}

/** A route with any method and pattern. */
export interface AnyRoute {
  /** The method or the methods that the route answers. */
  readonly method: RouteMethod;
  /** The pattern that the route matches. */
  readonly pattern: RoutePattern;
  /** The description. */
  readonly operation?: Operation;
  /** The name in the route map. */
  readonly name?: string;
}

/** Routes by name, nested to any depth. */
export interface RouteMap {
  /** A route, or a nested map. */
  readonly [name: string]: AnyRoute | RouteMap;
}
