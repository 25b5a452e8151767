import { isAborted, isServed } from "./abort.ts";
import type { RequestContext } from "./context/context.ts";
import type { Middleware, NextFunction } from "./middleware.ts";
import {
  type ErrorHandler,
  isResponse,
  type SafeHandler,
} from "./_safe_handler.ts";

/** A {@linkcode SafeHandler} behind middleware, which gets promises only. */
type Step = (
  context: RequestContext,
  isLate: boolean,
) => Promise<Response>;

/** Puts middleware around a handler, the first outermost. */
export function composeMiddleware(
  list: readonly Middleware[],
  handler: SafeHandler,
  handleError: ErrorHandler,
): SafeHandler {
  if (list.length === 0) return handler;
  const first = list.reduceRight(
    (rest, middleware) => addMiddleware(rest, middleware, handleError),
    createLastStep(handler, handleError),
  );
  return (context) => first(context, false);
}

function createLastStep(
  handler: SafeHandler,
  handleError: ErrorHandler,
): Step {
  return (context, isLate) => {
    // A server cannot have aborted the request if no middleware has waited.
    if ((isLate || !isServed(context)) && isAborted(context)) {
      return handleError(context.request.signal.reason, context);
    }
    return Promise.resolve(handler(context));
  };
}

/**
 * Puts one middleware around the rest of the chain.
 *
 * A middleware that returns nothing and does not call `next` lets the request
 * through (spec 7). If it returns the promise of `next()`, no other is created.
 */
function addMiddleware(
  rest: Step,
  middleware: Middleware,
  handleError: ErrorHandler,
): Step {
  return (context, isLate) => {
    let downstream: Promise<Response> | undefined;
    const next: NextFunction = () => {
      if (downstream !== undefined) return rejectSecondCall();
      return downstream = rest(context, isLate);
    };
    const toResponse = (result: Response | undefined | void) => {
      if (result === undefined) return downstream ?? next();
      return isResponse(result)
        ? result
        : handleError(invalidResult(), context);
    };
    try {
      const result = middleware(context, next);
      if (result !== undefined && result === downstream) return downstream;
      isLate = true;
      return result === undefined || isResponse(result)
        ? Promise.resolve(toResponse(result))
        : Promise.resolve(result).then(
          toResponse,
          (error) => handleError(error, context),
        );
    } catch (error) {
      return handleError(error, context);
    }
  };
}

/** Rejects, but not unhandled if the middleware ignores the promise. */
function rejectSecondCall(): Promise<never> {
  const rejected = Promise.reject(
    new TypeError("Cannot call next: it was called before"),
  );
  rejected.catch(() => {});
  return rejected;
}

/** Creates an error: to a guard that returns `false`, going on would be unsafe. */
function invalidResult(): TypeError {
  return new TypeError(
    "Cannot go on after a middleware: it returned neither a Response nor nothing",
  );
}
