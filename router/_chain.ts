import { isAborted, isServed } from "./abort.ts";
import type { RequestHandler } from "./action.ts";
import type { RequestContext } from "./context/context.ts";
import type { Middleware, NextFunction } from "./middleware.ts";
import { isResponse } from "./_response.ts";

/** Answers a request. It never throws, and its promise never rejects. */
export type Handle = (
  context: RequestContext,
) => Response | Promise<Response>;

/** Answers an error, and notes it on the context. Its promise never rejects. */
export type AnswerError = (
  error: unknown,
  context: RequestContext,
) => Promise<Response>;

/** A {@linkcode Handle} behind middleware, which gets promises only. */
type Step = (
  context: RequestContext,
  isLate: boolean,
) => Promise<Response>;

/** Answers what a handler throws, and anything that is not a response. */
export function guard(
  handler: RequestHandler,
  answerError: AnswerError,
): Handle {
  return (context) => {
    try {
      const result = handler(context);
      return isResponse(result)
        ? result
        : checked(result, context, answerError);
    } catch (error) {
      return answerError(error, context);
    }
  };
}

function checked(
  result: Promise<Response>,
  context: RequestContext,
  answerError: AnswerError,
): Promise<Response> {
  const fail = (error: unknown) => answerError(error, context);
  return Promise.resolve(result).then(
    (response) => isResponse(response) ? response : fail(noResponse(context)),
    fail,
  );
}

function noResponse({ method, route, url }: RequestContext): TypeError {
  const target = route?.pattern.source ?? url.pathname;
  const whose = route ? "its" : "the default";
  return new TypeError(
    `Cannot answer ${method} "${target}": ${whose} handler returned no Response`,
  );
}

/** Puts middleware around a handler, the first outermost. */
export function chain(
  list: readonly Middleware[],
  handle: Handle,
  answerError: AnswerError,
): Handle {
  if (list.length === 0) return handle;
  const first = list.reduceRight(
    (rest, middleware) => link(rest, middleware, answerError),
    lastStep(handle, answerError),
  );
  return (context) => first(context, false);
}

function lastStep(handle: Handle, answerError: AnswerError): Step {
  return (context, isLate) => {
    // The request of a server cannot have been aborted if nothing has waited
    // since it was passed.
    if ((isLate || !isServed(context)) && isAborted(context)) {
      return answerError(context.request.signal.reason, context);
    }
    return Promise.resolve(handle(context));
  };
}

/**
 * Puts one middleware around the rest of the chain.
 *
 * A middleware that neither answers nor calls `next` lets the request through
 * (spec 7). One that returns the promise of `next()` costs no other promise.
 */
function link(
  rest: Step,
  middleware: Middleware,
  answerError: AnswerError,
): Step {
  return (context, isLate) => {
    let downstream: Promise<Response> | undefined;
    const next: NextFunction = () => {
      if (downstream !== undefined) return calledTwice();
      return downstream = rest(context, isLate);
    };
    const finish = (response: Response | undefined | void) => {
      if (response === undefined) return downstream ?? next();
      return isResponse(response)
        ? response
        : answerError(noMiddlewareResult(), context);
    };
    try {
      const result = middleware(context, next);
      if (result !== undefined && result === downstream) return downstream;
      isLate = true;
      return result === undefined || isResponse(result)
        ? Promise.resolve(finish(result))
        : Promise.resolve(result).then(
          finish,
          (error) => answerError(error, context),
        );
    } catch (error) {
      return answerError(error, context);
    }
  };
}

/** Rejects, without ending the process if the middleware does not wait for it. */
function calledTwice(): Promise<never> {
  const rejected = Promise.reject(
    new TypeError("Cannot call next: it was called before"),
  );
  rejected.catch(() => {});
  return rejected;
}

/** Going on would let a guard with a bug in its answer pass everyone. */
function noMiddlewareResult(): TypeError {
  return new TypeError(
    "Cannot go on after a middleware: it returned neither a Response nor nothing",
  );
}
