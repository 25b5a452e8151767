import { isAbort, isServed, refuseAborted } from "./abort.ts";
import { isInit } from "./_arguments.ts";
import type { Handle } from "./_chain.ts";
import { RequestContext } from "./context/context.ts";
import { NONE } from "./context/platform.ts";
import type { TrustedProxies } from "./context/remote_address.ts";
import { isRequest, isResponse } from "./_response.ts";
import type { FetchFunction, Router } from "./router.ts";

/** Creates the `fetch` function of a router. */
export function fetchWith(
  handle: Handle,
  router: Router,
  trustedProxies: TrustedProxies,
): FetchFunction {
  const alone = { router, trustedProxies, platform: NONE };

  function contextOf(
    input: string | URL | Request,
    others: readonly unknown[],
  ): RequestContext {
    const [init] = others;
    const takesInit = !isRequest(input) ||
      (others.length === 1 && isInit(init));
    const request = takesInit
      ? new Request(input, init as RequestInit | undefined)
      : input;
    const platform = takesInit ? others.slice(1) : others;
    if (platform.length === 0) refuseAborted(request);
    return new RequestContext(request, { router, trustedProxies, platform });
  }

  function answer(context: RequestContext): Promise<Response> {
    const result = handle(context);
    return isResponse(result)
      ? Promise.resolve(result)
      : unlessAborted(result, context);
  }

  return function (input: string | URL | Request, init?: unknown) {
    try {
      if (arguments.length < 3 && init === undefined && isRequest(input)) {
        // A server passes a request at once; others call at any time.
        refuseAborted(input);
        return answer(new RequestContext(input, alone));
      }
      // A rest parameter in place of `arguments` costs a list with each request.
      const others = arguments.length < 3 ? [init] : [...arguments].slice(1);
      const context = contextOf(input, others);
      // Servers would print the reason of an abort as an error.
      return isServed(context)
        ? Promise.resolve(handle(context))
        : answer(context);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** Rejects as the global `fetch` does if the request was aborted meanwhile. */
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
