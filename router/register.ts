import type {
  ControllerInput,
  HandlerInput,
  MiddlewareOptions,
  ParamsOf,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import type { ContextEntries } from "./context/context_entry.ts";
import type { RouteMethod } from "./method.ts";
import type { EntriesOfAll, Middleware } from "./middleware.ts";
import type { RouteMap } from "./routes/route.ts";

// Nothing is inferred from handlers: the target and the middleware say what they
// see, and the compiler would look for more of it in each of them at length.
/** What answers a route, as it is written down: a handler, or with middleware. */
export type RouteAction<RouteParams, Entries extends ContextEntries, List> =
  | NoInfer<RequestHandler<RouteParams, Entries>>
  | HandlerInput<RouteParams, Entries, List>;

/** Registers a handler that has middleware of its own. */
export interface RegisterBehind<Entries extends ContextEntries> {
  /**
   * Registers a handler behind middleware.
   *
   * @param target The pattern, or the route.
   * @param options The middleware.
   * @param handler The handler.
   * @throws {TypeError} If the pattern is not valid, or there is no handler.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    target: Target,
    options: MiddlewareOptions<List>,
    handler: NoInfer<
      RequestHandler<
        ParamsOf<Target>,
        readonly [...Entries, ...EntriesOfAll<List>]
      >
    >,
  ): void;
}

/** Registers a handler for one method. */
export interface RegisterRoute<Entries extends ContextEntries>
  extends RegisterBehind<Entries> {
  /**
   * Registers a handler, alone or with middleware.
   *
   * @param target The pattern, or the route.
   * @param action The handler.
   * @throws {TypeError} If the pattern is not valid, or there is no handler.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    target: Target,
    action: RouteAction<ParamsOf<Target>, Entries, List>,
  ): void;
}

/** Registers a handler for one or several methods given by name. */
export interface RegisterMethodRoute<Entries extends ContextEntries> {
  /**
   * Registers a handler, alone or with middleware.
   *
   * @param method The method, several methods, or `"ANY"`.
   * @param target The pattern, or the route.
   * @param action The handler.
   * @throws {TypeError} If the pattern is not valid, or there is no handler.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    method: RouteMethod,
    target: Target,
    action: RouteAction<ParamsOf<Target>, Entries, List>,
  ): void;
  /**
   * Registers a handler behind middleware.
   *
   * @param method The method, several methods, or `"ANY"`.
   * @param target The pattern, or the route.
   * @param options The middleware.
   * @param handler The handler.
   * @throws {TypeError} If the pattern is not valid, or there is no handler.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    method: RouteMethod,
    target: Target,
    options: MiddlewareOptions<List>,
    handler: NoInfer<
      RequestHandler<
        ParamsOf<Target>,
        readonly [...Entries, ...EntriesOfAll<List>]
      >
    >,
  ): void;
}

/** Registers a route map, or a single route. */
export interface MapRoutes<Entries extends ContextEntries>
  extends RegisterBehind<Entries> {
  // One signature for both: a mistake is told as it is, not once for each.
  /**
   * Registers a controller for a route map, or an action for one route.
   *
   * @param target The route map, the route or the pattern.
   * @param action The controller with one action for each route; the handler.
   * @throws {TypeError} If an action is missing, or one is there without a route.
   * @throws {RangeError} If a method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget | RouteMap,
    const List extends readonly Middleware[],
    const Lists,
  >(
    target: Target,
    action: ActionOrController<Target, Entries, List, Lists>,
  ): void;
}

/** What a target is mapped to: an action for a route, a controller for many. */
export type ActionOrController<
  Target,
  Entries extends ContextEntries,
  List extends readonly Middleware[],
  Lists,
> =
  | NoInfer<HandlerOf<Target, Entries>>
  | HandlerOptions<Target, Entries, List>
  | ControllerInput<Target, Entries, List, Lists>;

/** The handler of a route; never for a map. */
export type HandlerOf<Target, Entries extends ContextEntries> = Target extends
  RouteTarget ? RequestHandler<ParamsOf<Target>, Entries> : never;

/** The handler of a route with its middleware. */
export interface HandlerOptions<
  Target,
  Entries extends ContextEntries,
  List extends readonly Middleware[],
> extends MiddlewareOptions<List> {
  /** Answers the request. */
  readonly handler: NoInfer<
    HandlerOf<
      Target,
      readonly [...Entries, ...EntriesOfAll<List>]
    >
  >;
}
