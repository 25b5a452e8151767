import type {
  Action,
  Controller,
  MiddlewareOptions,
  RequestHandler,
  RouteTarget,
} from "./action.ts";
import { isInit } from "./_arguments.ts";
import { canonicalHref, pathStart } from "./_canonical.ts";
import {
  chain,
  checked,
  type Handle,
  isAnswered,
  noResponse,
} from "./_chain.ts";
import { RequestContext } from "./context.ts";
import { defaultHandler, defaultOnError, toHead } from "./_defaults.ts";
import { ArrayMatcher, type Match, type Matcher } from "./matcher.ts";
import { type RequestMethod, requestMethods } from "./method.ts";
import { type MountTarget, rememberRouter, toMounted } from "./mount.ts";
import {
  checkMiddleware,
  collectRoutes,
  refuse,
  type Registration,
} from "./_registration.ts";
import type { TrustedProxies } from "./remote_address.ts";
import { isAbort } from "./_abort.ts";
import { isRequest, isResponse } from "./_response.ts";
import type {
  FetchFunction,
  RegisteredRoute,
  Router,
  RouterOptions,
} from "./router.ts";
import type { RouteMap } from "./routes/route.ts";
import { redirectToOther, withOtherSlash } from "./_trailing_slash.ts";

type Register = (
  target: RouteTarget,
  first: Action | MiddlewareOptions,
  second?: RequestHandler,
) => void;

/** The router behind its typed face. */
export class Dispatcher {
  readonly fetch: FetchFunction;
  readonly routes: RegisteredRoute[] = [];
  /** The router as its users see it. */
  readonly #router = this as unknown as Router;
  readonly #run: Handle;
  readonly #matcher: Matcher<Registration>;
  /** The matcher, where it is our own. */
  readonly #own: ArrayMatcher<Registration> | undefined;
  readonly #onError: Required<RouterOptions>["onError"];
  readonly #defaultHandler: RequestHandler;
  readonly #trailingSlash: Required<RouterOptions>["trailingSlash"];

  constructor(options: RouterOptions) {
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
    this.#matcher = matcher;
    this.#own = matcher instanceof ArrayMatcher ? matcher : undefined;
    this.#onError = onError ?? defaultOnError;
    this.#defaultHandler = answerOther ?? defaultHandler;
    this.#trailingSlash = trailingSlash;
    for (const method of requestMethods) {
      const register: Register = (target, first, second) =>
        this.route(method, target, first, second);
      // `get`, `head` and so on.
      Object.assign(this, { [method.toLowerCase()]: register });
    }
    const list = checkMiddleware(middleware, "the router");
    this.#run = list.length === 0
      ? this.#dispatch
      : forValidUrls(chain(list, this.#dispatch));
    this.fetch = this.#fetchWith(trustedProxies);
    rememberRouter(this.fetch, (request, parent) => {
      const inner = new RequestContext(request, {
        router: this.#router,
        parent,
      });
      inner.method = parent.method;
      return this.#handle(inner);
    });
  }

  #fetchWith(trustedProxies: TrustedProxies): FetchFunction {
    const alone = {
      router: this.#router,
      platform: Object.freeze([]),
      trustedProxies,
    };
    const handle = (context: RequestContext) => this.#handle(context);
    // A rest parameter in place of `arguments` costs a list with each request.
    return function (input: string | URL | Request, init?: unknown) {
      try {
        const takesInit = !isRequest(input) ||
          (arguments.length === 2 && isInit(init));
        const request = takesInit
          ? new Request(input, init as RequestInit | undefined)
          : input;
        if (arguments.length < 3 && (takesInit || init === undefined)) {
          // A server hands over what was just received; others call when they
          // like.
          request.signal.throwIfAborted();
          return handle(new RequestContext(request, alone));
        }
        const platform = arguments.length === 2
          ? [init]
          : [...arguments].slice(takesInit ? 2 : 1);
        return handle(
          new RequestContext(request, {
            router: alone.router,
            platform,
            trustedProxies,
          }),
        );
      } catch (error) {
        return Promise.reject(error);
      }
    };
  }

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
    const handler = toMounted(prefix, target);
    this.route("ANY", prefix, handler);
    this.route("ANY", `${prefix}/*`, handler);
  };

  #add(registrations: Registration[]): void {
    for (const registration of registrations) {
      const { method, pattern } = registration;
      this.#matcher.add(method, pattern, registration);
      this.routes.push({ method, pattern: pattern.source });
    }
  }

  /** Answers. It never throws, and rejects for aborted requests alone. */
  #handle(context: RequestContext): Promise<Response> {
    try {
      const result = this.#run(context);
      if (isResponse(result)) return Promise.resolve(result);
      return isAnswered(result) ? result : this.#settle(result, context);
    } catch (error) {
      return this.#answerError(error, context);
    }
  }

  #settle(
    result: Promise<Response>,
    context: RequestContext,
  ): Promise<Response> {
    const fail = (error: unknown) => this.#answerError(error, context);
    return Promise.resolve(result).then(
      (response) => isResponse(response) ? response : fail(noResponse(context)),
      fail,
    );
  }

  async #answerError(
    error: unknown,
    context: RequestContext,
  ): Promise<Response> {
    if (isAbort(error, context)) throw error;
    try {
      const response = await this.#onError(error, context);
      if (isResponse(response)) return response;
      throw new TypeError(
        "Cannot answer an error: onError returned no Response",
      );
    } catch (another) {
      // Some servers would send the text of what `fetch` rejects with.
      if (another !== error) console.error(error);
      return defaultOnError(another);
    }
  }

  /** Finds the route and has it answer. */
  readonly #dispatch = (
    context: RequestContext,
  ): Response | Promise<Response> => {
    const { method, request: { url } } = context;
    const start = pathStart(url);
    const own = start < 0 ? undefined : this.#own;
    let match: Match<Registration> | null;
    // Our own matcher notices by itself where a path is not canonical.
    if (own !== undefined) match = own.match(method, url, start);
    else {
      const href = canonicalHref(url);
      if (href === null) return badRequest();
      match = this.#matcher.match(method, href);
    }
    return match === null
      ? this.#answerOther(method, context)
      : answer(method, context, match);
  };

  /** Looks for the path with its trailing slash taken off or put on. */
  #answerOther(
    method: string,
    context: RequestContext,
  ): Response | Promise<Response> {
    const href = canonicalHref(context.request.url)!;
    const forms = [href];
    if (this.#trailingSlash !== "strict") {
      const other = withOtherSlash(href);
      const match = this.#matcher.match(method, other);
      if (match !== null) {
        return this.#trailingSlash === "redirect"
          ? redirectToOther(context, other)
          : answer(method, context, match);
      }
      forms.push(other);
    }
    const methods = forms.flatMap((form) => this.#matcher.allowedMethods(form));
    context.allowedMethods = [...new Set(methods)].sort();
    return this.#defaultHandler(context);
  }
}

/** Has the matched route answer; HEAD gets no body from those of GET. */
function answer(
  method: string,
  context: RequestContext,
  { data, params }: Match<Registration>,
): Response | Promise<Response> {
  context.params = params;
  context.route = data;
  const result = data.handler(context);
  return method === "HEAD" && data.method !== "HEAD"
    ? toHead(checked(result, context), context)
    : result;
}

/** Middleware may rely on `context.url`. */
function forValidUrls(run: Handle): Handle {
  return (context) => {
    const { url } = context.request;
    return pathStart(url) < 0 && canonicalHref(url) === null
      ? badRequest()
      : run(context);
  };
}

/** @throws {TypeError} If an option is none, which types can't always tell. */
function checkOption(name: string, value: unknown, isOne: boolean): void {
  if (!isOne) {
    throw new TypeError(`Cannot create router: ${name} can't be "${value}"`);
  }
}

function badRequest(): Response {
  return new Response("Bad Request", { status: 400 });
}
