import type {
  Action,
  Controller,
  MiddlewareOptions,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import { readArguments } from "./_arguments.ts";
import { pathStart } from "./_canonical.ts";
import { createContext, hrefOf, type RequestContext } from "./context.ts";
import { defaultHandler, defaultOnError, toHead } from "./_defaults.ts";
import { ArrayMatcher, type Match, type Matcher } from "./matcher.ts";
import type { RequestMethod } from "./method.ts";
import { type Middleware, runChain } from "./middleware.ts";
import { type MountTarget, rememberDispatch, toMounted } from "./mount.ts";
import { collectRoutes, type Registration } from "./_registration.ts";
import type { TrustedProxies } from "./remote_address.ts";
import { isAbort, throwIfAborted } from "./_abort.ts";
import type { RegisteredRoute, RouterOptions } from "./router.ts";
import type { RouteMap } from "./routes/route.ts";
import { redirectToOther, withOtherSlash } from "./_trailing_slash.ts";

type Register = (
  target: RouteTarget,
  first: Action | MiddlewareOptions,
  second?: RequestHandler,
) => void;

/** The router behind its typed face. */
export class Dispatcher {
  readonly #middleware: readonly Middleware[];
  readonly #matcher: Matcher<Registration>;
  /** The matcher, where it is our own. */
  readonly #own: ArrayMatcher<Registration> | undefined;
  readonly #onError: Required<RouterOptions>["onError"];
  readonly #defaultHandler: RequestHandler;
  readonly #trusted: TrustedProxies;
  readonly #trailingSlash: Required<RouterOptions>["trailingSlash"];
  readonly #routes: RegisteredRoute[] = [];

  readonly get: Register = this.#registerFor("GET");
  readonly head: Register = this.#registerFor("HEAD");
  readonly post: Register = this.#registerFor("POST");
  readonly put: Register = this.#registerFor("PUT");
  readonly patch: Register = this.#registerFor("PATCH");
  readonly delete: Register = this.#registerFor("DELETE");
  readonly options: Register = this.#registerFor("OPTIONS");

  constructor(options: RouterOptions) {
    this.#middleware = [...options.middleware ?? []];
    this.#matcher = options.matcher ?? new ArrayMatcher();
    this.#own = this.#matcher instanceof ArrayMatcher
      ? this.#matcher
      : undefined;
    this.#onError = options.onError ?? defaultOnError;
    this.#defaultHandler = options.defaultHandler ?? defaultHandler;
    this.#trusted = options.trustedProxies ?? 0;
    this.#trailingSlash = options.trailingSlash ?? "strict";
    rememberDispatch(this, this.fetch, (context) => this.#handle(context));
  }

  get routes(): readonly RegisteredRoute[] {
    return this.#routes;
  }

  readonly fetch = (
    input: string | URL | Request,
    init?: unknown,
    ...rest: unknown[]
  ): Promise<Response> => {
    try {
      const { request, platform } = readArguments(input, init, rest);
      return this.#handle(
        createContext(request, this, platform, this.#trusted),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  };

  readonly route = (
    method: RequestMethod | "ANY",
    target: RouteTarget,
    first: Action | MiddlewareOptions,
    second?: RequestHandler,
  ): void => this.#add(collectRoutes(target, first, second, method));

  readonly map = (
    target: RouteTarget | RouteMap,
    first: Action | MiddlewareOptions | Controller<RouteMap>,
    second?: RequestHandler,
  ): void => this.#add(collectRoutes(target, first, second));

  readonly mount = (prefix: string, target: MountTarget): void => {
    const { patterns, handler } = toMounted(prefix, target);
    for (const pattern of patterns) this.route("ANY", pattern, handler);
  };

  #registerFor(method: RequestMethod): Register {
    return (target, first, second) => this.route(method, target, first, second);
  }

  #add(registrations: Registration[]): void {
    for (const registration of registrations) {
      const { method, pattern } = registration;
      this.#matcher.add(method, pattern, registration);
      this.#routes.push({ method, pattern: pattern.source });
    }
  }

  async #handle(context: RequestContext): Promise<Response> {
    // Middleware may rely on context.url.
    if (this.#middleware.length > 0 && hrefOf(context) === null) {
      return badRequest();
    }
    try {
      throwIfAborted(context);
      const response = this.#middleware.length === 0
        ? this.#dispatch(context)
        : runChain(this.#middleware, context, this.#dispatch);
      return response instanceof Response ? response : await response;
    } catch (error) {
      if (isAbort(error, context)) throw error;
      return await this.#onError(error, context);
    }
  }

  readonly #dispatch = (
    context: RequestContext,
  ): Response | Promise<Response> => {
    const { method } = context;
    // Our own matcher notices by itself where a path is not canonical.
    const { url } = context.request;
    const start = pathStart(url);
    if (start < 0 && hrefOf(context) === null) return badRequest();
    const match = start < 0 || this.#own === undefined
      ? this.#matcher.match(method, hrefOf(context)!)
      : this.#own.match(method, url, start);
    if (match === null) return this.#answerOther(method, context);
    if (this.#middleware.length > 0) throwIfAborted(context);
    return this.#answer(method, context, match);
  };

  #answer(
    method: string,
    context: RequestContext,
    match: Match<Registration>,
  ): Response | Promise<Response> {
    const registration = match.data;
    context.params = match.params;
    context.route = registration;
    const { middleware, handler } = registration;
    const response = middleware.length === 0
      ? handler(context)
      : runChain(middleware, context, handler);
    return response instanceof Response && method !== "HEAD"
      ? response
      : answered(response, method, registration);
  }

  /** Looks for the path with its trailing slash taken off or put on. */
  #answerOther(
    method: string,
    context: RequestContext,
  ): Response | Promise<Response> {
    const href = hrefOf(context)!;
    const other = this.#trailingSlash === "strict"
      ? null
      : withOtherSlash(href);
    const match = other === null ? null : this.#matcher.match(method, other);
    if (other !== null && match !== null) {
      return this.#trailingSlash === "redirect"
        ? redirectToOther(method, other)
        : this.#answer(method, context, match);
    }
    context.allowedMethods = this.#matcher.allowedMethods(href);
    return this.#defaultHandler(context);
  }
}

function badRequest(): Response {
  return new Response("Bad Request", { status: 400 });
}

/** Waits for the response, checks that it is one, and empties it for HEAD. */
async function answered(
  result: Response | Promise<Response>,
  method: string,
  registration: Registration,
): Promise<Response> {
  const response = await result;
  if (!(response instanceof Response)) {
    throw new TypeError(
      `Cannot answer ${method} "${registration.pattern.source}": its handler returned no Response`,
    );
  }
  return method === "HEAD" && registration.method !== "HEAD"
    ? toHead(response)
    : response;
}
