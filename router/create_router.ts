import type { RequestHandler, RouteTarget } from "./action.ts";
import { catchErrors, composeMiddleware } from "./_compose.ts";
import { RequestContext } from "./context/context.ts";
import { createDispatch, handleNotFound } from "./_dispatch.ts";
import { createFetch } from "./_fetch.ts";
import { createErrorHandler } from "./_handle_error.ts";
import { ArrayMatcher } from "./matching/array_matcher.ts";
import { requestMethods, type RouteMethod } from "./method.ts";
import type { EntriesOfAll, Middleware } from "./middleware.ts";
import {
  createMountHandler,
  type MountTarget,
  rememberRouter,
} from "./mount.ts";
import {
  checkKeys,
  checkMiddleware,
  collectRoutes,
  type Registrable,
} from "./_registration.ts";
import type { RegisteredRoute, Router, RouterOptions } from "./router.ts";
import type { RouteMap } from "./routes/route.ts";

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
  const List extends readonly Middleware[],
>(options: RouterOptions<List> = {}): Router<EntriesOfAll<List>> {
  return createUntypedRouter(options as RouterOptions) as Router<
    EntriesOfAll<List>
  >;
}

function createUntypedRouter(options: RouterOptions): Router {
  const {
    middleware,
    matcher = new ArrayMatcher(),
    trailingSlash = "strict",
    trustedProxies = 0,
    onError,
    defaultHandler,
    ...others
  } = options;
  checkKeys(others, "the router");
  checkTrailingSlash(trailingSlash);
  checkTrustedProxies(trustedProxies);
  const routes: RegisteredRoute[] = [];
  const handleError = createErrorHandler(onError ?? undefined);

  function route(
    method: RouteMethod | undefined,
    target: RouteTarget | RouteMap,
    first: Registrable,
    second?: RequestHandler,
  ): void {
    const list = collectRoutes(target, first, second, method);
    for (const { method, pattern, middleware, handler } of list) {
      const safe = catchErrors(handler, handleError);
      const composed = composeMiddleware(middleware, safe, handleError);
      matcher.add(method, pattern, { method, pattern, handler: composed });
      routes.push({ method, pattern: pattern.source });
    }
  }

  function mount(prefix: string, target: MountTarget): void {
    const handler = createMountHandler(prefix, target);
    route("ANY", prefix, handler);
    route("ANY", `${prefix}/*`, handler);
  }

  const dispatch = createDispatch(
    matcher,
    trailingSlash,
    catchErrors(defaultHandler ?? handleNotFound, handleError),
    handleError,
  );
  const handler = composeMiddleware(
    checkMiddleware(middleware, "the router"),
    dispatch,
    handleError,
  );
  const members: Record<string, unknown> = {
    routes,
    route,
    map: route.bind(null, undefined),
    mount,
  };
  for (const method of requestMethods) {
    // `get`, `head` and so on.
    members[method.toLowerCase()] = route.bind(null, method);
  }
  const router = members as unknown as Router;
  members.fetch = createFetch(handler, router, trustedProxies);
  rememberRouter(router.fetch, async (request, parent) => {
    const inner = new RequestContext(request, { router, parent });
    inner.method = parent.method;
    const response = await handler(inner);
    // The outer middleware reads it too.
    parent.error = inner.error;
    return response;
  });
  return router;
}

function checkTrailingSlash(value: unknown): void {
  if (value === "strict" || value === "redirect" || value === "ignore") return;
  throw new TypeError(
    `Cannot create router: trailingSlash can't be "${value}"`,
  );
}

function checkTrustedProxies(value: unknown): void {
  const isValid = typeof value === "number" || Array.isArray(value) &&
      value.every((proxy) => typeof proxy === "string");
  if (isValid) return;
  throw new TypeError(
    `Cannot create router: trustedProxies can't be "${value}"`,
  );
}
