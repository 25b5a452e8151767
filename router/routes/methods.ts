import type { RequestMethod } from "../method.ts";
import type { PatternInput } from "../pattern/route_pattern.ts";
import type { NoOperation, Operation, OperationCheck } from "./operation.ts";
import { Route } from "./route.ts";

/** The type of a pattern: its string, if the compiler knows it. */
export type PathOf<Pattern> = Pattern extends string ? Pattern : string;

/** Creates a route for one method, from a pattern and a description. */
export type CreateRoute<Method extends RequestMethod> = <
  const Pattern extends PatternInput,
  const Description extends Operation = NoOperation,
>(
  pattern: Pattern,
  operation?: Description & OperationCheck<Description>,
) => Route<Method, PathOf<Pattern>, Description>;

/** Returns the function that creates routes for a method. */
function createRoute<Method extends RequestMethod>(
  method: Method,
): CreateRoute<Method> {
  return ((pattern: PatternInput, operation?: Operation) =>
    new Route(method, pattern as string, operation)) as CreateRoute<Method>;
}

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
export const get: CreateRoute<"GET"> = /* @__PURE__ */ createRoute("GET");

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
export const post: CreateRoute<"POST"> = /* @__PURE__ */ createRoute("POST");

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
export const put: CreateRoute<"PUT"> = /* @__PURE__ */ createRoute("PUT");

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
export const del: CreateRoute<"DELETE"> = /* @__PURE__ */ createRoute("DELETE");

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
export const patch: CreateRoute<"PATCH"> = /* @__PURE__ */ createRoute("PATCH");

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
export const head: CreateRoute<"HEAD"> = /* @__PURE__ */ createRoute("HEAD");

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
export const options: CreateRoute<"OPTIONS"> = /* @__PURE__ */ createRoute(
  "OPTIONS",
);
