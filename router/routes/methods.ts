import type { PatternInput } from "../pattern/route_pattern.ts";
import { Route } from "./route.ts";

/**
 * Creates a route for GET.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { get } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(get("/users").method, "GET");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function get<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"GET", Pattern extends string ? Pattern : string> {
  return new Route("GET", pattern as Pattern extends string ? Pattern : string);
}

/**
 * Creates a route for POST.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { post } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(post("/users").method, "POST");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function post<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"POST", Pattern extends string ? Pattern : string> {
  return new Route(
    "POST",
    pattern as Pattern extends string ? Pattern : string,
  );
}

/**
 * Creates a route for PUT.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { put } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(put("/users/:id").method, "PUT");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function put<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"PUT", Pattern extends string ? Pattern : string> {
  return new Route("PUT", pattern as Pattern extends string ? Pattern : string);
}

/**
 * Creates a route for DELETE.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { del } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(del("/users/:id").method, "DELETE");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function del<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"DELETE", Pattern extends string ? Pattern : string> {
  return new Route(
    "DELETE",
    pattern as Pattern extends string ? Pattern : string,
  );
}

/**
 * Creates a route for PATCH.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { patch } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(patch("/users/:id").method, "PATCH");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function patch<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"PATCH", Pattern extends string ? Pattern : string> {
  return new Route(
    "PATCH",
    pattern as Pattern extends string ? Pattern : string,
  );
}

/**
 * Creates a route for HEAD.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { head } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(head("/users").method, "HEAD");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function head<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"HEAD", Pattern extends string ? Pattern : string> {
  return new Route(
    "HEAD",
    pattern as Pattern extends string ? Pattern : string,
  );
}

/**
 * Creates a route for OPTIONS.
 *
 * @example Creating a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { options } from "@gatehouse/web/fetch-router/routes";
 *
 * assertEquals(options("/users").method, "OPTIONS");
 * ```
 *
 * @param pattern The pattern.
 * @returns The route.
 * @throws {TypeError} If the pattern is invalid.
 */
export function options<const Pattern extends PatternInput>(
  pattern: Pattern,
): Route<"OPTIONS", Pattern extends string ? Pattern : string> {
  return new Route(
    "OPTIONS",
    pattern as Pattern extends string ? Pattern : string,
  );
}
