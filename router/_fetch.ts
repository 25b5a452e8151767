import { isAbort, throwIfAborted } from "./abort.ts";
import { isResponse, type SafeHandler } from "./_safe_handler.ts";
import { RequestContext } from "./context/context.ts";
import { EMPTY } from "./context/platform.ts";
import type { TrustedProxies } from "./context/remote_address.ts";
import type { ErrorResponse } from "./errors/error_response.ts";
import type { FetchFunction, Router } from "./router.ts";

// A getter of the global object on Deno, which takes longer than `instanceof`.
const RequestClass = /* @__PURE__ */ (() => Request)();

/** Creates the `fetch` function of a router. */
export function createFetch(
  handler: SafeHandler,
  router: Router,
  trustedProxies: TrustedProxies,
  errorResponse: ErrorResponse | undefined,
): FetchFunction {
  const withoutPlatform = {
    router,
    trustedProxies,
    errorResponse,
    platform: EMPTY,
  };

  function createContext(
    request: Request,
    platform: readonly unknown[],
  ): RequestContext {
    // On Deno, spreading `withoutPlatform` takes 20 to 30 ns more per request.
    const options = { router, trustedProxies, errorResponse, platform };
    return new RequestContext(request, options);
  }

  function respond(request: Request): Promise<Response> {
    // Servers pass a request before it is aborted; other callers may not.
    throwIfAborted(request);
    const context = new RequestContext(request, withoutPlatform);
    const result = handler(context);
    return isResponse(result)
      ? Promise.resolve(result)
      : unlessAborted(result, context);
  }

  // With a platform it never rejects: servers would print the reason of an abort.
  return function (input: string | URL | Request, init?: unknown) {
    try {
      // A rest parameter would create an array for each request.
      if (arguments.length < 3 && isRequest(input) && !isInit(init)) {
        return init === undefined
          ? respond(input)
          : Promise.resolve(handler(createContext(input, [init])));
      }
      const others = [...arguments].slice(1);
      const takesInit = !isRequest(input) ||
        (others.length === 1 && isInit(init));
      const request = takesInit
        ? new Request(input, init as RequestInit | undefined)
        : input;
      const platform = takesInit ? others.slice(1) : others;
      return platform.length === 0
        ? respond(request)
        : Promise.resolve(handler(createContext(request, platform)));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** Rejects like the global `fetch` if the request was aborted meanwhile. */
function unlessAborted(
  result: Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  return result.then((response) => {
    const { error } = context;
    if (error !== undefined && isAbort(error, context)) throw error;
    return response;
  });
}

function isRequest(value: unknown): value is Request {
  return value instanceof RequestClass;
}

/** The members of RequestInit, of the standard and of the three runtimes. */
const INIT_MEMBER =
  /^(?:body|cache|cf|client|credentials|duplex|fetcher|headers|integrity|keepalive|method|mode|priority|proxy|redirect|referrer|referrerPolicy|signal|tls|verbose|window)$/;

/**
 * Returns `true` for a RequestInit, as opposed to an argument of the runtime: a
 * plain object with members of RequestInit only.
 */
function isInit(value: unknown): value is RequestInit {
  if (typeof value !== "object" || value === null) return false;
  // Rejects the arguments of servers at once, without the slow checks below.
  const { constructor } = value;
  if (constructor !== Object && constructor !== undefined) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => INIT_MEMBER.test(key));
}
