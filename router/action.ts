import type { HandlerContext } from "./context/context.ts";
import type { ContextEntries } from "./context/context_entry.ts";
import type { RouteMethod } from "./method.ts";
import type { EntriesOfAll, MiddlewareEntry } from "./middleware.ts";
import type { Params } from "./pattern/params.ts";
import type { PatternInput } from "./pattern/route_pattern.ts";
import type { AnyRoute, Route, RouteMap } from "./routes/route.ts";

/** A pattern or a route, to register a handler for. */
export type RouteTarget = PatternInput | AnyRoute;

/** The params of a route, or of a pattern. */
export type ParamsOf<Target> = Target extends string ? Params<Target>
  : Target extends Route<RouteMethod, infer Pattern> ? Params<Pattern>
  : Record<string, string>;

/**
 * Responds to a request.
 *
 * @typeParam RouteParams The params of the pattern.
 * @typeParam Entries The values that the middleware before it provides.
 */
export type RequestHandler<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
> = (
  context: HandlerContext<RouteParams, Entries>,
) => Response | Promise<Response>;

/** The middleware of one route, or of a group. */
export interface MiddlewareOptions<List = readonly MiddlewareEntry[]> {
  /**
   * Middleware that runs before the handlers, the first outermost. `false` and
   * `undefined` are ignored.
   *
   * @default {[]}
   */
  readonly middleware?: List & readonly MiddlewareEntry[];
}

/** A handler with the middleware of its route. */
export interface ActionObject<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
  List = readonly MiddlewareEntry[],
> extends MiddlewareOptions<List> {
  /** Responds to a request. */
  readonly handler: NoInfer<
    RequestHandler<RouteParams, readonly [...Entries, ...EntriesOfAll<List>]>
  >;
}

// TypeScript infers nothing from handlers: the target and the middleware
// determine their types. Looking for more would slow the compiler down.
/** The handler of a route, with or without middleware. */
export type Action<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
  List = readonly MiddlewareEntry[],
> =
  | NoInfer<RequestHandler<RouteParams, Entries>>
  | ActionObject<RouteParams, Entries, List>;

/**
 * The type of a single action, for handlers in a different file than their
 * registration.
 *
 * @typeParam _Method The method or the methods of the route.
 * @typeParam Target The route, or its pattern.
 * @typeParam Entries The values that the middleware before it provides.
 */
export type BuildAction<
  _Method extends RouteMethod,
  Target extends RouteTarget,
  Entries extends ContextEntries = readonly [],
> = Action<ParamsOf<Target>, Entries>;

/**
 * The actions of a route map, for controllers in a different file than their
 * registration.
 *
 * If its middleware is a tuple (`as const`), handlers see the values that it
 * provides. Write `satisfies Controller<…>`, which keeps the tuple.
 *
 * @typeParam Routes The route map.
 * @typeParam Entries The values that the middleware before it provides.
 * @typeParam List The middleware of the controller.
 */
export interface Controller<
  Routes extends RouteMap,
  Entries extends ContextEntries = readonly [],
  List = readonly MiddlewareEntry[],
> extends MiddlewareOptions<List> {
  /** One action for each route, no more and no fewer. */
  readonly actions: {
    readonly [Name in keyof Routes]: Routes[Name] extends AnyRoute ? Action<
        ParamsOf<Routes[Name]>,
        readonly [...Entries, ...EntriesOfAll<List>]
      >
      : Routes[Name] extends RouteMap ? Controller<
          Routes[Name],
          readonly [...Entries, ...EntriesOfAll<List>]
        >
      : never;
  };
}

/**
 * The actions in a call of `router.map`. A handler also sees the values of the
 * middleware of its action or nested controller.
 *
 * @typeParam Routes The route map.
 * @typeParam Entries The values that the middleware before them provides.
 * @typeParam Lists The middleware of each action or nested controller, by name.
 */
export interface ControllerActions<
  Routes,
  Entries extends ContextEntries,
  Lists,
> {
  /** One action for each route, no more and no fewer. */
  readonly actions:
    & { readonly [Name in keyof Routes]: unknown }
    & {
      readonly [Name in keyof Lists]: Name extends keyof Routes ?
          | RouteAction<Routes[Name], Entries, Lists[Name]>
          | NestedController<Routes[Name], Entries, Lists[Name]>
        : `The route map has no route "${Name & string}"`;
    };
}

/** The action of a route; never for a map. */
export type RouteAction<Target, Entries extends ContextEntries, List> =
  Target extends RouteTarget ? Action<ParamsOf<Target>, Entries, List> : never;

/**
 * The controller of a nested map; never for a route. Its handlers see the values
 * of its middleware, not of single actions or of maps inside it.
 */
export type NestedController<Target, Entries extends ContextEntries, List> =
  Target extends AnyRoute ? never
    : Target extends RouteMap ? Controller<Target, Entries, List>
    : never;
