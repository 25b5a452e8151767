import type { PatternInput } from "../pattern/route_pattern.ts";
import type { NoOperation, Operation, OperationCheck } from "./operation.ts";
import { Route } from "./route.ts";

/** The type of a pattern: its string, if the compiler knows it. */
export type PathOf<Pattern> = Pattern extends string ? Pattern : string;

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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function get<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"GET", PathOf<Pattern>, Description> {
  return new Route<"GET", PathOf<Pattern>, Description>(
    "GET",
    pattern as PathOf<Pattern>,
    operation,
  );
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function post<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"POST", PathOf<Pattern>, Description> {
  return new Route<"POST", PathOf<Pattern>, Description>(
    "POST",
    pattern as PathOf<Pattern>,
    operation,
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function put<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"PUT", PathOf<Pattern>, Description> {
  return new Route<"PUT", PathOf<Pattern>, Description>(
    "PUT",
    pattern as PathOf<Pattern>,
    operation,
  );
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function del<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"DELETE", PathOf<Pattern>, Description> {
  return new Route<"DELETE", PathOf<Pattern>, Description>(
    "DELETE",
    pattern as PathOf<Pattern>,
    operation,
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function patch<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"PATCH", PathOf<Pattern>, Description> {
  return new Route<"PATCH", PathOf<Pattern>, Description>(
    "PATCH",
    pattern as PathOf<Pattern>,
    operation,
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function head<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"HEAD", PathOf<Pattern>, Description> {
  return new Route<"HEAD", PathOf<Pattern>, Description>(
    "HEAD",
    pattern as PathOf<Pattern>,
    operation,
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
 * @param operation The description.
 * @returns The route.
 * @throws {TypeError} If the pattern or the description is invalid.
 */
export function options<
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
): Route<"OPTIONS", PathOf<Pattern>, Description> {
  return new Route<"OPTIONS", PathOf<Pattern>, Description>(
    "OPTIONS",
    pattern as PathOf<Pattern>,
    operation,
  );
}
