import { isAbort, throwIfAborted } from "./abort.ts";
import { isResponse, type SafeHandler } from "./_safe_handler.ts";
import {
  RequestContext,
  type RequestContextOptions,
} from "./context/context.ts";
import { EMPTY } from "./context/platform.ts";
import type { FetchFunction } from "./router.ts";

// On Deno, reading `Request` from the global object takes 15 ns.
const RequestClass = /* @__PURE__ */ (() => Request)();

/** Creates the `fetch` function of a router. */
export function createFetch(
  handler: SafeHandler,
  options: RequestContextOptions,
): FetchFunction {
  const withoutPlatform = { ...options, platform: EMPTY };

  /** Answers a caller in the program, which may have aborted the request. */
  function respond(request: Request): Promise<Response> {
    throwIfAborted(request);
    const context = new RequestContext(request, withoutPlatform);
    return unlessAborted(handler(context), context);
  }

  /** Answers a server. Never rejects: servers would print the abort reason. */
  function serve(
    request: Request,
    platform: readonly unknown[],
  ): Promise<Response> {
    const context = new RequestContext(request, { ...options, platform });
    return Promise.resolve(handler(context));
  }

  return function (input: string | URL | Request, init?: unknown) {
    try {
      // A rest parameter would create an array for each request.
      if (arguments.length < 3 && isRequest(input) && !isInit(init)) {
        return init === undefined ? respond(input) : serve(input, [init]);
      }
      const others = [...arguments].slice(1);
      const { request, platform } = readArguments(input, others);
      return platform.length === 0
        ? respond(request)
        : serve(request, platform);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** Separates a RequestInit from the arguments that a server adds. */
function readArguments(
  input: string | URL | Request,
  others: readonly unknown[],
): { request: Request; platform: readonly unknown[] } {
  const [init] = others;
  if (isRequest(input) && (others.length !== 1 || !isInit(init))) {
    return { request: input, platform: others };
  }
  const request = new Request(input, init as RequestInit | undefined);
  return { request, platform: others.slice(1) };
}

/**
 * Rejects like the global `fetch` if the request was aborted in the meantime.
 */
function unlessAborted(
  result: Response | Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  if (isResponse(result)) return Promise.resolve(result);
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
  // This check rejects the arguments of servers at once and avoids the slow
  // checks below.
  const { constructor } = value;
  if (constructor !== Object && constructor !== undefined) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => INIT_MEMBER.test(key));
}
