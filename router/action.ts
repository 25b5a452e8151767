import type { ContextEntries } from "./context/context_entry.ts";
import type { HandlerContext } from "./context/context.ts";
import type { EntriesOfAll, Middleware } from "./middleware.ts";
import type { RouteMethod } from "./method.ts";
import type { Params } from "./pattern/params.ts";
import type { PatternInput } from "./pattern/route_pattern.ts";
import type { AnyRoute, Route, RouteMap } from "./routes/route.ts";

/** What a route can be registered for. */
export type RouteTarget = PatternInput | AnyRoute;

/** The params of a route, a pattern or a pattern's text. */
export type ParamsOf<Target> = Target extends string ? Params<Target>
  : Target extends Route<RouteMethod, infer Pattern> ? Params<Pattern>
  : Record<string, string>;

/**
 * Answers a request.
 *
 * @typeParam RouteParams The params of the pattern.
 * @typeParam Entries What the middleware in front of it provides.
 */
export type RequestHandler<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
> = (
  context: HandlerContext<RouteParams, Entries>,
) => Response | Promise<Response>;

/** The middleware of a route or of a group of routes. */
export interface MiddlewareOptions<
  List extends readonly Middleware[] = readonly Middleware[],
> {
  /**
   * Middleware that runs in front of the handlers, the first outermost.
   *
   * @default {[]}
   */
  readonly middleware?: List;
}

/** A handler with the middleware of its route. */
export interface ActionObject<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
  List extends readonly Middleware[] = readonly Middleware[],
> extends MiddlewareOptions<List> {
  /** Answers the request. */
  readonly handler: RequestHandler<
    RouteParams,
    readonly [...Entries, ...EntriesOfAll<List>]
  >;
}

/** What answers a route: a handler, alone or with middleware. */
export type Action<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
  List extends readonly Middleware[] = readonly Middleware[],
> =
  | RequestHandler<RouteParams, Entries>
  | ActionObject<RouteParams, Entries, List>;

/**
 * The type of a single action, for handlers that live away from the place
 * where they are registered.
 *
 * @typeParam _Method The method or the methods of the route.
 * @typeParam Target The route, or the text of its pattern.
 * @typeParam Entries What the middleware in front of it provides.
 */
export type BuildAction<
  _Method extends RouteMethod,
  Target extends RouteTarget,
  Entries extends ContextEntries = readonly [],
> = Action<ParamsOf<Target>, Entries>;

/**
 * Answers a route map, for controllers that live away from the place where they
 * are registered.
 *
 * What their own middleware provides is known where it is a tuple (`as const`),
 * and the controller's type is not widened: write `satisfies Controller<…>`.
 *
 * @typeParam Routes The route map.
 * @typeParam Entries What the middleware in front of it provides.
 */
export interface Controller<
  Routes extends RouteMap,
  Entries extends ContextEntries = readonly [],
> extends MiddlewareOptions {
  /** One action for each route, no more and no fewer. */
  readonly actions: {
    readonly [Name in keyof Routes]: Routes[Name] extends AnyRoute
      ? Action<ParamsOf<Routes[Name]>, Entries>
      : Routes[Name] extends RouteMap ? Controller<Routes[Name], Entries>
      : never;
  };
}

/**
 * A controller as it is written down in `router.map`: its handlers see what the
 * middleware of the controller, of their own action and of a nested controller
 * provides.
 *
 * @typeParam Routes The route map.
 * @typeParam Entries What the middleware in front of it provides.
 * @typeParam List The middleware of the controller.
 * @typeParam Lists The middleware of each action or nested controller, by name.
 */
export interface ControllerInput<
  Routes,
  Entries extends ContextEntries,
  List extends readonly Middleware[],
  Lists,
> extends MiddlewareOptions<List> {
  /** One action for each route, no more and no fewer. */
  readonly actions:
    & { readonly [Name in keyof Routes]: unknown }
    & {
      readonly [Name in keyof Lists]: ActionInput<
        Routes,
        Name,
        readonly [...Entries, ...EntriesOfAll<List>],
        Lists[Name]
      >;
    };
}

/** What the name asks for: a handler, an action object, a nested controller. */
export type ActionInput<
  Routes,
  Name,
  Entries extends ContextEntries,
  List,
> =
  | HandlerAt<Routes, Name, Entries>
  | HandlerInputAt<Routes, Name, Entries, List>
  | NestedControllerAt<Routes, Name, Entries, List>;

/**
 * The handler of the route by that name; never for a nested map, and a word
 * about it where there is no route.
 */
export type HandlerAt<Routes, Name, Entries extends ContextEntries> =
  Name extends keyof Routes
    ? Routes[Name] extends AnyRoute
      ? RequestHandler<ParamsOf<Routes[Name]>, Entries>
    : never
    : `The route map has no route "${Name & string}"`;

/** A handler with middleware for the route by that name; never for a map. */
export type HandlerInputAt<Routes, Name, Entries extends ContextEntries, List> =
  Name extends keyof Routes
    ? Routes[Name] extends AnyRoute
      ? HandlerInput<ParamsOf<Routes[Name]>, Entries, List>
    : never
    : never;

/** The controller of the nested map by that name; never for a route. */
export type NestedControllerAt<
  Routes,
  Name,
  Entries extends ContextEntries,
  List,
> = Name extends keyof Routes ? Routes[Name] extends AnyRoute ? never
  : Routes[Name] extends RouteMap
    ? NestedControllerInput<Routes[Name], Entries, List>
  : never
  : never;

/** A handler with the middleware of its route, as it is written down. */
export interface HandlerInput<
  RouteParams,
  Entries extends ContextEntries,
  List,
> {
  /** Middleware of this action alone. */
  readonly middleware?: List;
  /** Answers the request. */
  readonly handler: NoInfer<
    RequestHandler<
      RouteParams,
      readonly [...Entries, ...EntriesOfAll<List>]
    >
  >;
}

/**
 * The controller of a nested map, as it is written down. Its handlers see what
 * its own middleware provides, but not what that of single actions, or of maps
 * inside it, does.
 */
export interface NestedControllerInput<
  Routes extends RouteMap,
  Entries extends ContextEntries,
  List,
> {
  /** Middleware of the nested controller. */
  readonly middleware?: List;
  /** One action for each route of the nested map. */
  readonly actions: Controller<
    Routes,
    readonly [...Entries, ...EntriesOfAll<List>]
  >["actions"];
}
