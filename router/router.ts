import type { RequestHandler } from "./action.ts";
import type { ContextEntries } from "./context/context_entry.ts";
import type { ErrorResponse } from "./errors/error_response.ts";
import type { MatchedRoute, RequestContext } from "./context/context.ts";
import type { Matcher } from "./matching/matcher.ts";
import type { RequestMethod } from "./method.ts";
import type { EntriesOfAll, MiddlewareEntry } from "./middleware.ts";
import type {
  MapRoutes,
  RegisterMethodRoute,
  RegisterRoute,
} from "./register.ts";
import type { TrustedProxies } from "./context/remote_address.ts";

/** The data of a route in a matcher. */
export interface MatchData extends MatchedRoute {
  /** The handler, behind its middleware. */
  readonly handler: (
    context: RequestContext,
  ) => Response | Promise<Response>;
  /** Returns the methods for a URL, if the route is that of a mounted router. */
  readonly mountedMethods?: ((url: string) => string[]) | undefined;
}

/** Options for `createRouter`. */
export interface RouterOptions<
  List extends readonly MiddlewareEntry[] = readonly MiddlewareEntry[],
> {
  /**
   * Middleware that runs on every request, the first outermost. `false` and
   * `undefined` are ignored.
   *
   * @default {[]}
   */
  readonly middleware?: List;
  /**
   * Responds if no route matches.
   *
   * @default {404, or 405 and OPTIONS with Allow if the path has routes}
   */
  readonly defaultHandler?: RequestHandler<
    Record<string, string>,
    EntriesOfAll<List>
  >;
  /**
   * Finds the route of a URL.
   *
   * @default {new ArrayMatcher()}
   */
  readonly matcher?: Matcher<MatchData>;
  /**
   * Responds to errors of handlers and middleware. The response passes back
   * through the outer middleware, which reads the error from `context.error`.
   *
   * It is not called for an `HTTPError` and other errors with a method
   * `toResponse`, whose response is sent instead, nor for the reason of an aborted request. If it throws, the
   * router prints both errors and responds with 500.
   *
   * @default {prints the error and responds with 500}
   */
  readonly onError?: (
    error: unknown,
    context: RequestContext,
  ) => Response | Promise<Response>;
  /**
   * Creates the responses to errors that the router and its middleware detect,
   * such as a 404, a 403 and a 429, and to thrown `HTTPError`s. `undefined` stands
   * for the default. A mounted router without this option uses that of the outer
   * router.
   *
   * The response also gets the headers of the error, such as `Allow`, and
   * `Vary: Accept`.
   *
   * @default {problem details for clients that prefer JSON, text for others}
   */
  readonly errorResponse?: ErrorResponse | undefined;
  /**
   * The treatment of a path that differs from a route only by its trailing
   * slash. `"strict"` treats it like any other path, `"redirect"` redirects to
   * the path of the route (308 unless the method is GET or HEAD), and `"ignore"`
   * calls the handler of the route.
   *
   * @default {"strict"}
   */
  readonly trailingSlash?: "strict" | "redirect" | "ignore";
  /**
   * The proxies whose `X-Forwarded-For` header is trusted.
   *
   * @default {0}
   */
  readonly trustedProxies?: TrustedProxies;
}

/** A route as it was registered. */
export interface RegisteredRoute {
  /** The method that it answers. */
  readonly method: RequestMethod | "ANY";
  /** Its pattern as a string. */
  readonly pattern: string;
}

/** Dispatches a request. Pass it to servers directly: it needs no `this`. */
export interface FetchFunction {
  /**
   * Dispatches a request, with the signature of the global `fetch`.
   *
   * @param input The request, or its URL.
   * @param init The options of the request.
   * @returns The response. Rejects if the arguments are invalid or the request
   * was aborted.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Dispatches a request of a server.
   *
   * @param request The request.
   * @param platform Further arguments of the runtime, for the `Platform` key.
   * @returns The response. It never rejects: 499 if the request was aborted.
   */
  (request: Request, ...platform: unknown[]): Promise<Response>;
}

/** A handler of requests: a function like `fetch`, or an object with one. */
export type MountTarget =
  | MountedFetch
  | {
    /** Responds to a request. */
    readonly fetch: MountedFetch;
  };

/**
 * Responds to a request. It also gets the further arguments of the runtime, with
 * the types that it declares.
 */
export type MountedFetch = (
  request: Request,
  ...platform: never[]
) => Response | Promise<Response>;

/**
 * Dispatches requests to handlers.
 *
 * @typeParam Entries The entries that its middleware adds to the context.
 */
export interface Router<Entries extends ContextEntries = readonly []> {
  /**
   * Dispatches a request, with the signature of the global `fetch`. Pass it to
   * `Deno.serve`, `Bun.serve` or a Worker as it is.
   */
  readonly fetch: FetchFunction;
  /** Registers a handler for GET. It answers HEAD too, without the body. */
  readonly get: RegisterRoute<Entries>;
  /** Registers a handler for HEAD. */
  readonly head: RegisterRoute<Entries>;
  /** Registers a handler for POST. */
  readonly post: RegisterRoute<Entries>;
  /** Registers a handler for PUT. */
  readonly put: RegisterRoute<Entries>;
  /** Registers a handler for PATCH. */
  readonly patch: RegisterRoute<Entries>;
  /** Registers a handler for DELETE. */
  readonly delete: RegisterRoute<Entries>;
  /** Registers a handler for OPTIONS. */
  readonly options: RegisterRoute<Entries>;
  /**
   * Registers a handler for a method such as `"QUERY"`, for several methods, or
   * for `"ANY"`.
   */
  readonly route: RegisterMethodRoute<Entries>;
  /** Registers a controller for a route map, or a handler for one route. */
  readonly map: MapRoutes<Entries>;
  /**
   * Passes every request below a prefix to another handler, and removes the
   * prefix from its URL. Another router keeps the values of the context.
   *
   * The mount wins over less specific routes such as `get("/*", …)`, and loses
   * to more specific ones. Servers do not know its new request: upgrade a
   * WebSocket, and call Bun's `requestIP`, before a mount.
   *
   * @param prefix The beginning of the path, without params.
   * @param target A router, or an object or a function that handles requests.
   * @throws {TypeError} If the prefix is `/`, has pattern syntax, or the target
   * has no `fetch`.
   * @throws {RangeError} If a route for all methods exists there already.
   */
  readonly mount: (prefix: string, target: MountTarget) => void;
  /**
   * Returns the methods that have a route for a URL, including routes of
   * mounted routers. A route or another handler for any method counts as GET,
   * HEAD, POST, PUT, PATCH, DELETE and OPTIONS.
   *
   * @param url The URL.
   * @returns The methods in alphabetical order; empty if no route matches.
   */
  readonly allowedMethods: (url: string | URL) => string[];
  /** The registered routes, in order. */
  readonly routes: readonly RegisteredRoute[];
}
