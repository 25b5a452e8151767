import { refuseAborted } from "./_abort.ts";
import { isInit } from "./_arguments.ts";
import { RequestContext } from "./context.ts";
import { NONE } from "./platform.ts";
import type { TrustedProxies } from "./remote_address.ts";
import { isRequest } from "./_response.ts";
import type { FetchFunction, Router } from "./router.ts";
import type { Answer } from "./_settle.ts";

/** Makes what answers a request, or what one can be made of. */
export function fetchWith(
  answer: Answer,
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

  return function (input: string | URL | Request, init?: unknown) {
    try {
      if (arguments.length < 3 && init === undefined && isRequest(input)) {
        // A server hands over what was just received; others call when they
        // like.
        refuseAborted(input);
        return answer(new RequestContext(input, alone));
      }
      // A rest parameter in place of `arguments` costs a list with each request.
      const others = arguments.length < 3 ? [init] : [...arguments].slice(1);
      return answer(contextOf(input, others));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}
