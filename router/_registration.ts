import type {
  Action,
  Controller,
  MiddlewareOptions,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import type { MatchedRoute } from "./context/context.ts";
import { methodsOf, type RouteMethod } from "./method.ts";
import type { Middleware, MiddlewareEntry } from "./middleware.ts";
import { type PatternInput, RoutePattern } from "./pattern/route_pattern.ts";
import type { Operation } from "./routes/operation.ts";
import type { AnyRoute, RouteMap } from "./routes/route.ts";

/** A route as an application registers it. */
export interface CollectedRoute extends MatchedRoute {
  /** The middleware of its groups and its own, the first outermost. */
  readonly middleware: readonly Middleware[];
  /** The handler without middleware. */
  readonly handler: RequestHandler;
  /** The description of the route. */
  readonly operation: Operation;
  /** The name of the route in its map; empty without a map. */
  readonly name: string;
}

/** An action, a controller, or middleware that a handler follows. */
type Registrable =
  | Action
  | MiddlewareOptions
  | Middleware
  | readonly MiddlewareEntry[]
  | Controller<RouteMap>;

/** The arguments after the target. Untyped callers may pass more than two. */
export type RegisterArguments = readonly [
  first: Registrable,
  second?: RequestHandler,
  ...others: unknown[],
];

/** The members of an action or a controller. Untyped callers may omit any. */
interface UntypedAction {
  readonly handler?: RequestHandler;
  readonly actions?: Record<string, Registrable>;
  readonly middleware?: readonly MiddlewareEntry[];
}

/**
 * Returns the routes that one call of `get`, `map` and the like registers.
 *
 * @throws {TypeError} If an action is missing, has no route, or is invalid.
 */
export function collectRoutes(
  target: RouteTarget | RouteMap,
  [first, second, ...others]: RegisterArguments,
  method?: RouteMethod,
): CollectedRoute[] {
  if (!isRouteMap(target)) {
    const route = toRoute(target, method);
    const name = nameOf(route);
    // A handler after two guards would otherwise be ignored silently.
    if (others.length > 0) {
      throw new TypeError(
        `Cannot register ${name}: several middleware need an array`,
      );
    }
    const action = second === undefined
      ? first
      : { ...toOptions(first, name), handler: second };
    return collectBelow(route, action, [], name);
  }
  if (method === undefined) {
    return collectBelow(target, first, [], "the route map");
  }
  throw new TypeError(
    `Cannot register the route map for ${method}: use router.map`,
  );
}

function collectBelow(
  target: AnyRoute | RouteMap,
  action: Registrable | undefined,
  outer: readonly Middleware[],
  name: string,
  prefix = "",
): CollectedRoute[] {
  const { handler, actions, middleware, ...others } = toObject(action);
  checkKeys(others, name);
  const list = [...outer, ...checkMiddleware(middleware, name)];
  if (isRoute(target)) {
    if (typeof handler !== "function") {
      throw new TypeError(`Cannot register ${name}: it has no handler`);
    }
    // A route that `route()` has not created has the name in the controller.
    const key = prefix.slice(0, -1);
    const { pattern, operation = {} } = target;
    const route = { pattern, operation, name: target.name || key };
    return methodsOf(target.method).map((method) => {
      return { ...route, method, middleware: list, handler };
    });
  }
  if (typeof actions !== "object" || actions === null) {
    throw new TypeError(
      `Cannot register ${name}: it has no actions`,
    );
  }
  for (const key of Object.keys(actions)) {
    if (!Object.hasOwn(target, key)) {
      throw new TypeError(
        `Cannot register "${prefix}${key}": it has no route`,
      );
    }
  }
  return Object.entries(target).flatMap(([key, entry]) => {
    const inner = Object.hasOwn(actions, key) ? actions[key] : undefined;
    const path = prefix + key;
    return collectBelow(entry, inner, list, `"${path}"`, `${path}.`);
  });
}

function toOptions(first: Registrable, name: string): MiddlewareOptions {
  if (typeof first === "function") return { middleware: [first as Middleware] };
  if (Array.isArray(first)) return { middleware: first };
  if ((first as UntypedAction | null)?.handler === undefined) {
    return first as MiddlewareOptions;
  }
  throw new TypeError(`Cannot register ${name}: it has two handlers`);
}

function toObject(action: Registrable | undefined): UntypedAction {
  return typeof action === "function"
    ? { handler: action as RequestHandler }
    : (action ?? {}) as UntypedAction;
}

/**
 * Throws if there are unknown properties. Without the check, a guard with a
 * misspelled name would be ignored silently.
 *
 * @throws {TypeError} If there are any.
 */
export function checkKeys(others: object, owner: string): void {
  const [key] = Object.keys(others);
  if (key !== undefined) {
    throw new TypeError(`Cannot make ${owner}: it takes no "${key}"`);
  }
}

/**
 * Returns the functions of an array of middleware.
 *
 * @throws {TypeError} If it contains anything but functions, `false` and
 * `undefined`.
 */
export function checkMiddleware(
  list: readonly MiddlewareEntry[] | undefined = [],
  owner: string,
): readonly Middleware[] {
  if (Array.isArray(list)) {
    const given = list.filter((one) => one !== false && one !== undefined);
    if (given.every((one) => typeof one === "function")) return given;
  }
  throw new TypeError(
    `Cannot make ${owner}: its middleware is not a list of functions`,
  );
}

function toRoute(
  target: RouteTarget,
  method: RouteMethod | undefined,
): AnyRoute {
  if (!isRoute(target)) {
    return {
      method: method ?? "GET",
      // Untyped callers may pass a pattern object, which would be read as a
      // URLPatternInit.
      pattern: target instanceof RoutePattern
        ? target
        : new RoutePattern(target as PatternInput),
    };
  }
  if (method === undefined) return target;
  const own = methodsOf(target.method);
  const other = methodsOf(method).find((each) =>
    each !== "ANY" && !own.includes(each) && !own.includes("ANY")
  );
  if (other !== undefined) {
    throw new TypeError(
      `Cannot register ${nameOf(target)}: it does not answer ${other}`,
    );
  }
  return { ...target, method };
}

/** Returns `true` for an object with a pattern, not only for a `Route`. */
function isRoute(target: RouteTarget | RouteMap): target is AnyRoute {
  return (target as AnyRoute | null)?.pattern instanceof RoutePattern;
}

function nameOf({ method, pattern }: AnyRoute): string {
  return `"${[method].flat().join(", ")} ${pattern.source}"`;
}

/** Returns `true` for an object of routes. A URLPatternInit has strings. */
function isRouteMap(value: RouteTarget | RouteMap): value is RouteMap {
  return typeof value === "object" && value !== null &&
    !(value instanceof URLPattern) && !isRoute(value) &&
    Object.values(value).every((entry) =>
      typeof entry === "object" && entry !== null
    );
}
