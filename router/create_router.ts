import type { RequestHandler, RouteTarget } from "./action.ts";
import { chain, guard } from "./_chain.ts";
import { RequestContext } from "./context/context.ts";
import { defaultHandler, defaultOnError } from "./_defaults.ts";
import { dispatchWith } from "./_dispatch.ts";
import { answerErrorsWith } from "./_error_responses.ts";
import { fetchWith } from "./_fetch.ts";
import { ArrayMatcher } from "./matching/array_matcher.ts";
import { requestMethods, type RouteMethod } from "./method.ts";
import { type MountTarget, rememberRouter, toMounted } from "./mount.ts";
import {
  checkMiddleware,
  collectRoutes,
  refuse,
  type Registrable,
} from "./_registration.ts";
import type { RegisteredRoute, Router, RouterOptions } from "./router.ts";
import type { RouteMap } from "./routes/route.ts";

/** Makes the router behind its typed face. */
export function untypedRouter(options: RouterOptions): Router {
  const {
    middleware,
    matcher = new ArrayMatcher(),
    trailingSlash = "strict",
    trustedProxies = 0,
    onError,
    defaultHandler: answerOther,
    ...others
  } = options;
  refuse(others, "the router");
  checkOption(
    "trailingSlash",
    trailingSlash,
    ["strict", "redirect", "ignore"].includes(trailingSlash),
  );
  checkOption(
    "trustedProxies",
    trustedProxies,
    typeof trustedProxies === "number" ||
      Array.isArray(trustedProxies) &&
        trustedProxies.every((proxy) => typeof proxy === "string"),
  );
  const routes: RegisteredRoute[] = [];
  const answerError = answerErrorsWith(onError ?? defaultOnError);

  function route(
    method: RouteMethod | undefined,
    target: RouteTarget | RouteMap,
    first: Registrable,
    second?: RequestHandler,
  ): void {
    const list = collectRoutes(target, first, second, method);
    for (const { method, pattern, middleware, handler } of list) {
      const guarded = guard(handler, answerError);
      const handle = chain(middleware, guarded, answerError);
      matcher.add(method, pattern, { method, pattern, handler: handle });
      routes.push({ method, pattern: pattern.source });
    }
  }

  function mount(prefix: string, target: MountTarget): void {
    const handler = toMounted(prefix, target);
    route("ANY", prefix, handler);
    route("ANY", `${prefix}/*`, handler);
  }

  const list = checkMiddleware(middleware, "the router");
  const dispatch = dispatchWith(
    matcher,
    trailingSlash,
    guard(answerOther ?? defaultHandler, answerError),
    answerError,
  );
  const handle = chain(list, dispatch, answerError);
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
  members.fetch = fetchWith(handle, router, trustedProxies);
  rememberRouter(router.fetch, async (request, parent) => {
    const inner = new RequestContext(request, { router, parent });
    inner.method = parent.method;
    const response = await handle(inner);
    // The middleware outside has to know of it too.
    parent.error = inner.error;
    return response;
  });
  return router;
}

/** @throws {TypeError} If an option is none, which types can't always tell. */
function checkOption(name: string, value: unknown, isOne: boolean): void {
  if (!isOne) {
    throw new TypeError(`Cannot create router: ${name} can't be "${value}"`);
  }
}
