import "./check_runtime.ts";
import type { RouteTarget } from "./action.ts";
import { createAllowedMethods } from "./_allowed_methods.ts";
import { composeMiddleware } from "./_compose_middleware.ts";
import {
  RequestContext,
  type RequestContextOptions,
} from "./context/context.ts";
import { parseProxies } from "./context/trusted_proxies.ts";
import { Dispatcher } from "./_dispatch.ts";
import { createFetch } from "./_fetch.ts";
import { createErrorHandler } from "./_handle_error.ts";
import { ArrayMatcher } from "./matching/array_matcher.ts";
import { canonicalHref } from "./matching/canonical_url.ts";
import { requestMethods, type RouteMethod } from "./method.ts";
import type { EntriesOfAll, MiddlewareEntry } from "./middleware.ts";
import type { Matcher } from "./matching/matcher.ts";
import {
  createMountedMethods,
  createMountHandler,
  type MountedDispatch,
  type Registered,
  registeredOn,
  rememberRouter,
} from "./mount.ts";
import {
  checkKeys,
  checkMiddleware,
  type CollectedRoute,
  collectRoutes,
  type RegisterArguments,
} from "./_registration.ts";
import type {
  MatchData,
  MountTarget,
  RegisteredRoute,
  Router,
  RouterOptions,
} from "./router.ts";
import type { RouteMap } from "./routes/route.ts";
import {
  catchErrors,
  type ErrorHandler,
  type SafeHandler,
} from "./_safe_handler.ts";

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
 * @param options Middleware for every request, and handlers for unmatched
 * requests and for errors.
 * @returns The router.
 * @throws {TypeError} If an option is unknown, or has an invalid value.
 */
export function createRouter<
  const List extends readonly MiddlewareEntry[],
>(options: RouterOptions<List> = {}): Router<EntriesOfAll<List>> {
  return createUntypedRouter(options as RouterOptions) as Router<
    EntriesOfAll<List>
  >;
}

function createUntypedRouter(options: RouterOptions): Router {
  checkOptions(options);
  const {
    middleware,
    matcher = new ArrayMatcher(),
    trailingSlash = "strict",
    trustedProxies = 0,
    onError,
    errorResponse,
    defaultHandler,
  } = options;
  const handleError = createErrorHandler(onError);
  const allowedMethods = createAllowedMethods(matcher, trailingSlash);
  const dispatcher = new Dispatcher(
    matcher,
    trailingSlash,
    allowedMethods,
    catchErrors(defaultHandler ?? respondUnmatched, handleError),
    handleError,
  );
  const list = checkMiddleware(middleware, "the router");
  const handler = composeMiddleware(
    list,
    (context) => dispatcher.dispatch(context),
    handleError,
  );
  const entries: Entry[] = [];
  const members = createMembers(matcher, handleError, entries);
  const router = members as unknown as Router;
  members.allowedMethods = (url: string | URL) => {
    const href = canonicalHref(String(url));
    return href === null ? [] : allowedMethods(href);
  };
  const shared = { router, errorResponse };
  members.fetch = createFetch(handler, { ...shared, trustedProxies });
  const dispatchMounted = createMountedDispatch(handler, shared);
  rememberRouter(router, dispatchMounted, { middleware: list, entries });
  return router;
}

/** Creates the function that handles the requests of an outer router. */
function createMountedDispatch(
  handler: SafeHandler,
  options: RequestContextOptions,
): MountedDispatch {
  return async (request, parent) => {
    const inner = new RequestContext(request, { ...options, parent });
    inner.method = parent.method;
    const response = await handler(inner);
    // The outer middleware reads the error too.
    parent.error = inner.error;
    return response;
  };
}

/**
 * Responds if no route matches: with 404, or with 405 or to OPTIONS with `Allow`
 * if the path has other methods (RFC 9110, sections 9.3.7 and 15.5.6).
 */
function respondUnmatched(
  context: RequestContext,
): Response | Promise<Response> {
  const { allowedMethods } = context;
  if (allowedMethods.length === 0) {
    return context.createErrorResponse(NOT_FOUND);
  }
  const headers = { Allow: allowedMethods.join(", ") };
  return context.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : context.createErrorResponse({ status: 405 }, headers);
}

const NOT_FOUND = { status: 404 };

/** A route or a mount, for documents. */
type Entry = Registered["entries"][number];

/** Creates the members that register routes, and the array of routes. */
function createMembers(
  matcher: Matcher<MatchData>,
  handleError: ErrorHandler,
  entries: Entry[],
): Record<string, unknown> {
  const routes: RegisteredRoute[] = [];

  function add(
    list: readonly CollectedRoute[],
    mountedMethods?: MatchData["mountedMethods"],
  ): void {
    for (const { method, pattern, middleware, handler } of list) {
      const safe = catchErrors(handler, handleError);
      const composed = composeMiddleware(middleware, safe, handleError);
      const data = { method, pattern, handler: composed, mountedMethods };
      matcher.add(method, pattern, data);
      routes.push({ method, pattern: pattern.source });
    }
  }

  function route(
    method: RouteMethod | undefined,
    target: RouteTarget | RouteMap,
    ...given: RegisterArguments
  ): void {
    const collected = collectRoutes(target, given, method);
    add(collected);
    entries.push(...collected);
  }

  function mount(prefix: string, target: MountTarget): void {
    const handler = createMountHandler(prefix, target);
    const methods = createMountedMethods(prefix, target);
    for (const pattern of [prefix, `${prefix}/*`]) {
      add(collectRoutes(pattern, [handler], "ANY"), methods);
    }
    entries.push({ prefix, target: registeredOn(target) });
  }

  const map = route.bind(null, undefined);
  // These methods are `get`, `head` and so on.
  const methods = requestMethods.map((method) =>
    [method.toLowerCase(), route.bind(null, method)] as const
  );
  return { routes, route, map, mount, ...Object.fromEntries(methods) };
}

function checkOptions(options: RouterOptions): void {
  const {
    middleware: _middleware,
    matcher: _matcher,
    trailingSlash = "strict",
    trustedProxies = 0,
    onError: _onError,
    errorResponse: _errorResponse,
    defaultHandler: _defaultHandler,
    ...others
  } = options;
  checkKeys(others, "the router");
  if (!["strict", "redirect", "ignore"].includes(trailingSlash)) {
    throw invalidOption("trailingSlash", trailingSlash);
  }
  const isNumber = Number.isSafeInteger(trustedProxies) &&
    Number(trustedProxies) >= 0;
  const isArray = Array.isArray(trustedProxies) &&
    trustedProxies.every((proxy) => typeof proxy === "string");
  if (isArray) parseProxies(trustedProxies as readonly string[]);
  else if (!isNumber) throw invalidOption("trustedProxies", trustedProxies);
}

function invalidOption(name: string, value: unknown): TypeError {
  return new TypeError(`Cannot create router: ${name} can't be "${value}"`);
}
