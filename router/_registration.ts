import type {
  Action,
  Controller,
  MiddlewareOptions,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import type { Handle } from "./_chain.ts";
import type { MatchedRoute } from "./context/context.ts";
import { methodsOf, type RequestMethod, type RouteMethod } from "./method.ts";
import type { Middleware } from "./middleware.ts";
import { type PatternInput, RoutePattern } from "./pattern/route_pattern.ts";
import type { AnyRoute, RouteMap } from "./routes/route.ts";

/** A route with all that answers it: its groups' middleware and its own. */
export interface Registration extends MatchedRoute {
  /** The method that it answers. */
  readonly method: RequestMethod | "ANY";
  /** Answers the request: the handler, behind its middleware. */
  readonly handler: Handle;
}

/** A route as an application registers it. */
export interface CollectedRoute extends MatchedRoute {
  /** The middleware of its groups and its own, the first outermost. */
  readonly middleware: readonly Middleware[];
  /** The application's handler. */
  readonly handler: RequestHandler;
}

/** What answers a route, or the routes of a map. */
export type Registrable = Action | MiddlewareOptions | Controller<RouteMap>;

/** What an action or a controller may say; it comes without types too. */
interface Behavior {
  readonly handler?: RequestHandler;
  readonly actions?: Record<string, Registrable>;
  readonly middleware?: readonly Middleware[];
}

/**
 * Lists what one call of `get`, `map` and the like registers.
 *
 * @throws {TypeError} If an action is missing, left over, or not a function.
 */
export function collectRoutes(
  target: RouteTarget | RouteMap,
  first: Registrable,
  second: RequestHandler | undefined,
  method?: RouteMethod,
): CollectedRoute[] {
  if (!isRouteMap(target)) {
    const route = toRoute(target, method);
    const name = describe(route);
    // A guard in the place of the options would be left out without a word.
    if (second !== undefined && toBehavior(first).handler !== undefined) {
      throw new TypeError(`Cannot register ${name}: it has two handlers`);
    }
    const action = second === undefined
      ? first
      : { ...first as MiddlewareOptions, handler: second };
    return collect(route, action, [], name);
  }
  if (method === undefined) return collect(target, first, [], "the route map");
  throw new TypeError(
    `Cannot register the route map for ${method}: use router.map`,
  );
}

/** What a route or a map of them registers, behind the middleware around it. */
function collect(
  target: AnyRoute | RouteMap,
  action: Registrable | undefined,
  outer: readonly Middleware[],
  name: string,
  prefix = "",
): CollectedRoute[] {
  const { handler, actions, middleware, ...others } = toBehavior(action);
  refuse(others, name);
  const list = [...outer, ...checkMiddleware(middleware, name)];
  if (isRoute(target)) {
    if (typeof handler !== "function") {
      throw new TypeError(`Cannot register ${name}: it has no handler`);
    }
    const { pattern } = target;
    return methodsOf(target.method).map((method) => {
      return { method, pattern, middleware: list, handler };
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
    return collect(entry, inner, list, `"${path}"`, `${path}.`);
  });
}

function toBehavior(action: Registrable | undefined): Behavior {
  return typeof action === "function"
    ? { handler: action }
    : (action ?? {}) as Behavior;
}

/**
 * Refuses properties that nothing reads: a guard under a wrong name would be
 * left out without a word.
 *
 * @throws {TypeError} If there are any.
 */
export function refuse(others: object, owner: string): void {
  const [key] = Object.keys(others);
  if (key !== undefined) {
    throw new TypeError(`Cannot make ${owner}: it takes no "${key}"`);
  }
}

/**
 * The list as it is.
 *
 * @throws {TypeError} If it is no list of functions.
 */
export function checkMiddleware(
  list: readonly Middleware[] | undefined = [],
  owner: string,
): readonly Middleware[] {
  if (Array.isArray(list) && list.every((one) => typeof one === "function")) {
    return list;
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
      // Handed over without types, it would be read as a URLPatternInit.
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
      `Cannot register ${describe(target)}: it does not answer ${other}`,
    );
  }
  return { method, pattern: target.pattern };
}

/** Any object will do that has a method and a pattern of ours. */
function isRoute(target: RouteTarget | RouteMap): target is AnyRoute {
  return (target as AnyRoute | null)?.pattern instanceof RoutePattern;
}

function describe({ method, pattern }: AnyRoute): string {
  return `"${[method].flat().join(", ")} ${pattern.source}"`;
}

/** A route map is a plain object of routes; a URLPatternInit holds texts. */
function isRouteMap(value: RouteTarget | RouteMap): value is RouteMap {
  return typeof value === "object" && value !== null &&
    !(value instanceof URLPattern) && !isRoute(value) &&
    Object.values(value).every((entry) =>
      typeof entry === "object" && entry !== null
    );
}
