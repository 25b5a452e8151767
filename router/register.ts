import type {
  Action,
  ControllerActions,
  MiddlewareOptions,
  ParamsOf,
  RequestHandler,
  RouteAction,
  RouteTarget,
} from "./action.ts";
import type { ContextEntries } from "./context/context_entry.ts";
import type { RouteMethod } from "./method.ts";
import type {
  EntriesOfAll,
  Middleware,
  MiddlewareEntry,
} from "./middleware.ts";
import type { RouteMap } from "./routes/route.ts";

/**
 * Registers a handler with middleware before it.
 *
 * @typeParam First The arguments before the target, such as the method.
 */
export interface RegisterWithMiddleware<
  Entries extends ContextEntries,
  First extends readonly unknown[] = [],
> {
  /**
   * Registers a handler with middleware before it.
   *
   * @param args The pattern or the route; a middleware, an array of them, or an
   * object with the array; the handler.
   * @throws {TypeError} If the pattern is invalid, or the handler is missing.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly MiddlewareEntry[],
    Single extends Middleware,
  >(
    ...args: [
      ...First,
      target: Target,
      options: MiddlewareOptions<List> | readonly [...List] | Single,
      handler: NoInfer<
        RequestHandler<
          ParamsOf<Target>,
          readonly [
            ...Entries,
            ...EntriesOfAll<List>,
            ...EntriesOfAll<readonly [Single]>,
          ]
        >
      >,
    ]
  ): void;
}

/**
 * Registers a handler.
 *
 * @typeParam First The arguments before the target, such as the method.
 */
export interface RegisterRoute<
  Entries extends ContextEntries,
  First extends readonly unknown[] = [],
> extends RegisterWithMiddleware<Entries, First> {
  /**
   * Registers a handler, with or without middleware.
   *
   * @param args The pattern or the route; the handler.
   * @throws {TypeError} If the pattern is invalid, or the handler is missing.
   * @throws {RangeError} If the method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly MiddlewareEntry[],
  >(
    ...args: [
      ...First,
      target: Target,
      action: Action<ParamsOf<Target>, Entries, List>,
    ]
  ): void;
}

/** Registers a handler for one or several methods given by name. */
export type RegisterMethodRoute<Entries extends ContextEntries> = RegisterRoute<
  Entries,
  [method: RouteMethod]
>;

/** Registers a route map, or a single route. */
export interface MapRoutes<Entries extends ContextEntries>
  extends RegisterWithMiddleware<Entries> {
  // Both forms share one signature, because errors would name each overload.
  /**
   * Registers a controller for a route map, or an action for one route.
   *
   * @param target The route map, the route or the pattern.
   * @param action The controller with one action for each route; the handler.
   * @throws {TypeError} If a route has no action, or an action no route.
   * @throws {RangeError} If a method has a route for the same URLs.
   */
  <
    const Target extends RouteTarget | RouteMap,
    const List extends readonly MiddlewareEntry[],
    const Lists,
  >(
    target: Target,
    action:
      | RouteAction<Target, Entries, List>
      | (
        & MiddlewareOptions<List>
        & ControllerActions<
          Target,
          readonly [...Entries, ...EntriesOfAll<List>],
          Lists
        >
      ),
  ): void;
}
