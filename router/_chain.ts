import { throwIfAborted } from "./_abort.ts";
import type { RequestContext } from "./context.ts";
import type { Middleware, MiddlewareResult } from "./middleware.ts";
import { isResponse } from "./_response.ts";

/** Answers a request, or hands it on. */
export type Handle = (
  context: RequestContext,
) => Response | Promise<Response>;

/** Puts middleware around a handler, the first outermost. */
export function chain(list: readonly Middleware[], handler: Handle): Handle {
  if (list.length === 0) return handler;
  return list.reduceRight(link, (context) => {
    throwIfAborted(context);
    return checked(handler(context), context);
  });
}

/** The response as it is, or an error where a handler made none. */
export function checked(
  result: Response | Promise<Response>,
  context: RequestContext,
): Response | Promise<Response> {
  if (isResponse(result)) return result;
  return Promise.resolve(result).then((response) => {
    if (isResponse(response)) return response;
    throw noResponse(context);
  });
}

/** What is thrown for a handler that returned anything else. */
export function noResponse({ method, route, url }: RequestContext): TypeError {
  const [target, handler] = route === undefined
    ? [url.pathname, "the default handler"]
    : [route.pattern.source, "its handler"];
  return new TypeError(
    `Cannot answer ${method} "${target}": ${handler} returned no Response`,
  );
}

/**
 * Puts one middleware around what follows it.
 *
 * One that neither answers nor calls `next` is taken to have called it (spec
 * 7). One that returns the promise of `next()` adds none of its own.
 */
function link(rest: Handle, middleware: Middleware): Handle {
  return (context) => {
    let downstream: Promise<Response> | undefined;
    let isLate = false;
    const next = (): Promise<Response> => {
      if (downstream !== undefined) {
        return silent(Promise.reject(
          new TypeError("Cannot call next: it was called before"),
        ));
      }
      try {
        downstream = Promise.resolve(rest(context));
      } catch (error) {
        downstream = Promise.reject(error);
      }
      return isLate ? silent(downstream) : downstream;
    };
    let result: MiddlewareResult;
    try {
      result = middleware(context, next);
    } catch (error) {
      if (downstream !== undefined) silent(downstream);
      throw error;
    }
    if (result !== undefined && result === downstream) return downstream;
    isLate = true;
    if (downstream !== undefined) silent(downstream);
    return settled(result, () => downstream, next);
  };
}

/**
 * Keeps a promise from ending the process where it fails before anybody waits
 * for it: a middleware may do something else first, and may fail at that.
 */
function silent(promise: Promise<Response>): Promise<Response> {
  promise.catch(() => {});
  return promise;
}

/** The response of a middleware, or of what follows where it gave none. */
function settled(
  result: MiddlewareResult,
  downstream: () => Promise<Response> | undefined,
  next: () => Promise<Response>,
): Response | Promise<Response> {
  const finish = (response: Response | undefined | void) => {
    if (response === undefined) return downstream() ?? next();
    if (isResponse(response)) return response;
    // Going on would let a guard with a bug in its answer pass everyone.
    throw new TypeError(
      "Cannot go on after a middleware: it returned neither a Response nor nothing",
    );
  };
  return result === undefined || isResponse(result)
    ? finish(result)
    : Promise.resolve(result).then(finish);
}
