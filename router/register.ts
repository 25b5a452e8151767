import type {
  Action,
  ControllerInput,
  MiddlewareOptions,
  ParamsOf,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import type { ContextEntries } from "./context_entry.ts";
import type { RequestMethod } from "./method.ts";
import type { EntriesOfAll, Middleware } from "./middleware.ts";
import type { RouteMap } from "./routes/route.ts";

/** Registers a handler for one method. */
export interface RegisterRoute<Entries extends ContextEntries> {
  /**
   * Registers a handler, alone or with middleware.
   *
   * @param target The pattern, or the route.
   * @param action The handler.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    target: Target,
    action: Action<ParamsOf<Target>, Entries, List>,
  ): void;
  /**
   * Registers a handler behind middleware.
   *
   * @param target The pattern, or the route.
   * @param options The middleware.
   * @param handler The handler.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    target: Target,
    options: MiddlewareOptions<List>,
    handler: RequestHandler<
      ParamsOf<Target>,
      readonly [...Entries, ...EntriesOfAll<List>]
    >,
  ): void;
}

/** Registers a handler for a method given by name. */
export interface RegisterMethodRoute<Entries extends ContextEntries> {
  /**
   * Registers a handler, alone or with middleware.
   *
   * @param method The method, or `"ANY"`.
   * @param target The pattern, or the route.
   * @param action The handler.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    method: RequestMethod | "ANY",
    target: Target,
    action: Action<ParamsOf<Target>, Entries, List>,
  ): void;
  /**
   * Registers a handler behind middleware.
   *
   * @param method The method, or `"ANY"`.
   * @param target The pattern, or the route.
   * @param options The middleware.
   * @param handler The handler.
   */
  <
    const Target extends RouteTarget,
    const List extends readonly Middleware[],
  >(
    method: RequestMethod | "ANY",
    target: Target,
    options: MiddlewareOptions<List>,
    handler: RequestHandler<
      ParamsOf<Target>,
      readonly [...Entries, ...EntriesOfAll<List>]
    >,
  ): void;
}

/** Registers a route map, or a single route. */
export interface MapRoutes<Entries extends ContextEntries>
  extends RegisterRoute<Entries> {
  /**
   * Registers a controller for a route map.
   *
   * @param routes The route map.
   * @param controller One action for each route.
   */
  <
    const Routes extends RouteMap,
    const List extends readonly Middleware[],
    const Lists,
  >(
    routes: Routes,
    controller: ControllerInput<Routes, Entries, List, Lists>,
  ): void;
}
