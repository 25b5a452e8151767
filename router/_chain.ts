import { isServed, throwIfAborted } from "./_abort.ts";
import type { RequestContext } from "./context.ts";
import type { Middleware, MiddlewareResult } from "./middleware.ts";
import { isResponse } from "./_response.ts";

/** Answers a request, or hands it on. */
export type Handle = (
  context: RequestContext,
) => Response | Promise<Response>;

/** The same, behind middleware: what is thrown is in the promise. */
type Step = (
  context: RequestContext,
  isLate: boolean,
) => Promise<Response>;

/** Puts middleware around a handler, the first outermost. */
export function chain(list: readonly Middleware[], handler: Handle): Handle {
  if (list.length === 0) return handler;
  const first = list.reduceRight(link, lastStep(handler));
  return (context) => first(context, false);
}

/** The last promise that was made of a response which was there at once. */
let answered: Promise<Response> | undefined;

/**
 * Whether a promise is the one that the handler was just answered with, so that
 * nothing can be wrong with it. It saves waiting for it. Ask once.
 */
export function isAnswered(promise: Promise<Response>): boolean {
  const found = isLast(promise);
  answered = undefined;
  return found;
}

/** A handler may have returned nothing, which is no promise. */
function isLast(promise: Promise<Response>): boolean {
  return promise !== undefined && promise === answered;
}

function lastStep(handler: Handle): Step {
  return (context, isLate) => {
    try {
      // A server's request can't have been aborted since it was handed over, if
      // nothing has waited since.
      if (isLate || !isServed(context)) throwIfAborted(context);
      const result = handler(context);
      if (isResponse(result)) return answered = Promise.resolve(result);
      return isLast(result)
        ? result
        : Promise.resolve(checked(result, context));
    } catch (error) {
      return Promise.reject(error);
    }
  };
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
  const target = route?.pattern.source ?? url.pathname;
  const whose = route ? "its" : "the default";
  return new TypeError(
    `Cannot answer ${method} "${target}": ${whose} handler returned no Response`,
  );
}

/**
 * Puts one middleware around what follows it.
 *
 * One that neither answers nor calls `next` is taken to have called it (spec
 * 7). One that returns the promise of `next()` adds none of its own.
 */
function link(rest: Step, middleware: Middleware): Step {
  return (context, isLate) => {
    let downstream: Promise<Response> | undefined;
    const next = (): Promise<Response> => {
      if (downstream !== undefined) {
        return silent(Promise.reject(
          new TypeError("Cannot call next: it was called before"),
        ));
      }
      downstream = rest(context, isLate);
      return isLate ? silent(downstream) : downstream;
    };
    try {
      const result = middleware(context, next);
      if (result !== undefined && result === downstream) return downstream;
      isLate = true;
      if (downstream !== undefined && !isLast(downstream)) silent(downstream);
      return settled(result, () => downstream, next);
    } catch (error) {
      if (downstream !== undefined) silent(downstream);
      return Promise.reject(error);
    }
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
): Promise<Response> {
  const finish = (response: Response | undefined | void) => {
    if (response === undefined) return downstream() ?? next();
    if (isResponse(response)) return response;
    // Going on would let a guard with a bug in its answer pass everyone.
    throw new TypeError(
      "Cannot go on after a middleware: it returned neither a Response nor nothing",
    );
  };
  return result === undefined || isResponse(result)
    ? Promise.resolve(finish(result))
    : Promise.resolve(result).then(finish);
}
