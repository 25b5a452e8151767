import { isKnownMethod, type RouteMethod } from "../method.ts";
import type { OriginPath } from "../pattern/params.ts";
import type { PatternInput } from "../pattern/route_pattern.ts";
import type { NoOperation, Operation } from "./operation.ts";
import { type AnyRoute, Route, type RouteMap } from "./route.ts";

/** A route as a plain object. */
export interface RouteDefinition {
  /** The method or the methods that the route answers. */
  readonly method: RouteMethod;
  /** The pattern that the route matches. */
  readonly pattern: PatternInput;
  /** The description. */
  readonly operation?: Operation;
}

/** The definitions of {@linkcode route}. A pattern is a route for GET. */
export interface RouteDefinitions {
  /** A pattern, a route, a route as a plain object, or a nested map. */
  readonly [name: string]:
    | string
    | URLPattern
    | AnyRoute
    | RouteDefinition
    | RouteDefinitions;
}

/** A prefix and a pattern, joined with one slash between them. */
export type JoinPatterns<Prefix extends string, Pattern extends string> =
  // An unknown string stays unknown with a slash in front.
  string extends Pattern ? string
    : Prefix extends "" | "/"
      ? Pattern extends `/${string}` | `${string}://${string}` | `{${string}`
        ? Pattern
      : `/${Pattern}`
    : Prefix extends `${infer Start}/` ? JoinPatterns<Start, Pattern>
    : Pattern extends "" | "/"
    // An origin without a path matches all of its paths.
      ? [OriginPath<Prefix>] extends [never] ? JoinPatterns<"", Prefix>
      : `${Prefix}/`
    : `${JoinPatterns<"", Prefix>}${JoinPatterns<"", Pattern>}`;

/** The route map that {@linkcode route} creates from definitions. */
export type BuildRouteMap<
  Definitions extends RouteDefinitions,
  Prefix extends string = "",
> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends
    Route<infer Method, infer Pattern, infer Description>
    ? Route<Method, JoinPatterns<Prefix, Pattern>, Description>
    : Definitions[Name] extends string
      ? Route<"GET", JoinPatterns<Prefix, Definitions[Name]>>
    : Definitions[Name] extends URLPattern ? Route<"GET", string>
    : Definitions[Name] extends {
      readonly method: infer Method extends RouteMethod;
      readonly pattern: infer Pattern;
    } ? Route<
        Method,
        Pattern extends string ? JoinPatterns<Prefix, Pattern> : string,
        Definitions[Name] extends
          { readonly operation: infer Description extends Operation }
          ? Description
          : NoOperation
      >
    : Definitions[Name] extends RouteDefinitions
      ? BuildRouteMap<Definitions[Name], Prefix>
    : never;
};

/**
 * Creates a route map: names for the URLs of an application, to register handlers
 * and to build links.
 *
 * @example A nested map
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { post, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({
 *   home: "/",
 *   posts: route("posts", {
 *     show: "/:slug",
 *     publish: post("/:slug/publish"),
 *   }),
 * });
 * assertEquals(routes.home.method, "GET");
 * assertEquals(routes.posts.show.href({ slug: "hello" }), "/posts/hello");
 * assertEquals(routes.posts.publish.method, "POST");
 * ```
 *
 * @param definitions Patterns, routes and nested definitions by name.
 * @returns The route map.
 * @throws {TypeError} If a pattern is invalid.
 */
export function route<const Definitions extends RouteDefinitions>(
  definitions: Definitions,
): BuildRouteMap<Definitions>;
/**
 * Creates a route map whose patterns all begin with a prefix.
 *
 * @example Routes below one path
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { route } from "@gatehouse/web/fetch-router/routes";
 *
 * const api = route("api/v1", { user: "/users/:id" });
 * assertEquals(api.user.href({ id: "7" }), "/api/v1/users/7");
 * ```
 *
 * @param prefix The beginning of every pattern.
 * @param definitions Patterns, routes and nested definitions by name.
 * @returns The route map.
 * @throws {TypeError} If a pattern is invalid.
 */
export function route<
  const Prefix extends string,
  const Definitions extends RouteDefinitions,
>(
  prefix: Prefix,
  definitions: Definitions,
): BuildRouteMap<Definitions, Prefix>;
export function route(
  first: string | RouteDefinitions,
  second?: RouteDefinitions,
): RouteMap {
  return typeof first === "string"
    ? buildMap(second ?? {}, withPath(first))
    : buildMap(first, "");
}

/** Adds a path to an origin. Without one it matches all of its paths. */
function withPath(prefix: string): string {
  return /^[^/]*:\/\/[^/]+$/.test(prefix) ? `${prefix}/` : prefix;
}

function buildMap(
  definitions: RouteDefinitions,
  prefix: string,
  path = "",
): RouteMap {
  const map: Record<string, AnyRoute | RouteMap> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    map[name] = buildEntry(definition, prefix, path + name);
  }
  return map;
}

function buildEntry(
  definition: RouteDefinitions[string],
  prefix: string,
  name: string,
): AnyRoute | RouteMap {
  const target = toRoute(definition);
  if (target === undefined) {
    return buildMap(definition as RouteDefinitions, prefix, `${name}.`);
  }
  const { method, pattern, operation } = target;
  const whole = prefix === "" ? pattern : pattern.prefixed(prefix);
  return Object.assign(new Route(method, whole, operation), { name });
}

function toRoute(definition: RouteDefinitions[string]): Route | undefined {
  if (typeof definition === "string" || definition instanceof URLPattern) {
    return new Route("GET", definition);
  }
  if (definition instanceof Route) return definition;
  if (!isRouteDefinition(definition)) return undefined;
  const { method, pattern, operation } = definition;
  return new Route(method, pattern, operation);
}

/**
 * Returns `true` for a route, and `false` for a map with routes called `method`
 * and `pattern`. A method in lower case counts: the route rejects it.
 */
function isRouteDefinition(
  definition: RouteDefinition | RouteDefinitions | AnyRoute,
): definition is RouteDefinition {
  const { method } = definition;
  const isMethod = Array.isArray(method) || typeof method === "string" &&
      (/^[A-Z-]+$/.test(method) || isKnownMethod(method.toUpperCase()));
  return isMethod && "pattern" in definition;
}
