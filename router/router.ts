import type { RequestHandler } from "./action.ts";
import type { ContextEntries } from "./context/context_entry.ts";
import type { RequestContext } from "./context/context.ts";
import type { Registration } from "./_registration.ts";
import type { Matcher } from "./matching/matcher.ts";
import type { RequestMethod } from "./method.ts";
import type { EntriesOfAll, Middleware } from "./middleware.ts";
import type { MountTarget } from "./mount.ts";
import type {
  MapRoutes,
  RegisterMethodRoute,
  RegisterRoute,
} from "./register.ts";
import type { TrustedProxies } from "./context/remote_address.ts";
import { untypedRouter } from "./create_router.ts";

/** What a matcher holds for each route. */
export type MatchData = Registration;

/** Options for {@linkcode createRouter}. */
export interface RouterOptions<
  List extends readonly Middleware[] = readonly Middleware[],
> {
  /**
   * Middleware that runs on every request, the first outermost.
   *
   * @default {[]}
   */
  readonly middleware?: List;
  /**
   * Answers what no route matches.
   *
   * @default {404, or 405 and OPTIONS with Allow where the path has routes}
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
   * Answers what a handler or a middleware throws, at the place where it was
   * thrown: the response passes back through the middleware outside, which read
   * the error from `context.error`. It is not called for an error that has a
   * method `toResponse`, whose response is sent instead, nor for the reason of
   * an aborted request. If it throws, the router prints both errors and answers
   * 500.
   *
   * @default {prints the error and answers 500}
   */
  readonly onError?: (
    error: unknown,
    context: RequestContext,
  ) => Response | Promise<Response>;
  /**
   * What to do with a path that has a route but for its trailing slash: answer
   * as for any other path, redirect to the one that has (308 where the method
   * is neither GET nor HEAD), or answer as if it were that one.
   *
   * @default {"strict"}
   */
  readonly trailingSlash?: "strict" | "redirect" | "ignore";
  /**
   * Which proxies in front of the server may tell the client's address.
   *
   * @default {0}
   */
  readonly trustedProxies?: TrustedProxies;
}

/** A route as it was registered. */
export interface RegisteredRoute {
  /** The method that it answers. */
  readonly method: RequestMethod | "ANY";
  /** The text of its pattern. */
  readonly pattern: string;
}

/** Dispatches a request. It needs no `this`, and takes what runtimes pass. */
export interface FetchFunction {
  /**
   * Dispatches a request, with the signature of the global `fetch`.
   *
   * @param input The request, or its URL.
   * @param init What to build the request with.
   * @returns The response. It rejects if `fetch` would for these arguments, and
   * if the request was aborted.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Dispatches a request that a runtime hands over.
   *
   * @param request The request.
   * @param platform What the runtime passes besides, for the `Platform` key.
   * @returns The response. It never rejects: 499 if the request was aborted.
   */
  (request: Request, ...platform: unknown[]): Promise<Response>;
}

/**
 * Dispatches requests to handlers.
 *
 * @typeParam Entries What its middleware adds to the context.
 */
export interface Router<Entries extends ContextEntries = readonly []> {
  /**
   * Dispatches a request, with the signature of the global `fetch`. Hand it to
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
   * Hands every request below a prefix to another handler, with the prefix taken
   * off its URL. Another router keeps the values of the context.
   *
   * The mount wins over less specific routes such as `get("/*", …)`, and loses
   * to more specific ones. The request is a new one, which the server does not
   * know: upgrade a WebSocket, and ask Bun for `requestIP`, in front of a mount.
   *
   * @param prefix The beginning of the path, without parameters.
   * @param target A router, or the `fetch` function of anything.
   * @throws {TypeError} If the prefix is `/`, has pattern syntax, or the target
   * has no `fetch`.
   * @throws {RangeError} If something answers all methods there already.
   */
  readonly mount: (prefix: string, target: MountTarget) => void;
  /** What is registered, in order. */
  readonly routes: readonly RegisteredRoute[];
}

/**
 * Creates a router.
 *
 * @example A first program
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const router = createRouter();
 * router.get("/hello/:name", ({ params }) => new Response(`Hello ${params.name}`));
 *
 * const response = await router.fetch("https://example.com/hello/Ada");
 * assertEquals(await response.text(), "Hello Ada");
 * ```
 *
 * @param options Middleware for every request, and what to do when no route
 * matches or a handler throws.
 * @returns The router.
 * @throws {TypeError} If an option is not known, or has a value that it can't.
 */
export function createRouter<
  const List extends readonly Middleware[],
>(options: RouterOptions<List> = {}): Router<EntriesOfAll<List>> {
  return untypedRouter(options as RouterOptions) as Router<EntriesOfAll<List>>;
}
