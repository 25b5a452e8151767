import { isAbort } from "./_abort.ts";
import { type Handle, isAnswered, noResponse } from "./_chain.ts";
import type { RequestContext } from "./context.ts";
import { defaultOnError } from "./_defaults.ts";
import { isResponse } from "./_response.ts";
import type { RouterOptions } from "./router.ts";

/** Answers. It never throws, and rejects for aborted requests alone. */
export type Answer = (context: RequestContext) => Promise<Response>;

/** Has what is thrown answered too. */
export function settling(
  run: Handle,
  onError: Required<RouterOptions>["onError"],
): Answer {
  function settle(
    result: Promise<Response>,
    context: RequestContext,
  ): Promise<Response> {
    if (isAnswered(result)) return result;
    const fail = (error: unknown) => answerError(error, context);
    return Promise.resolve(result).then(
      (response) => isResponse(response) ? response : fail(noResponse(context)),
      fail,
    );
  }

  async function answerError(
    error: unknown,
    context: RequestContext,
  ): Promise<Response> {
    if (isAbort(error, context)) throw error;
    try {
      const response = await onError(error, context);
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

  return (context) => {
    try {
      const result = run(context);
      return isResponse(result)
        ? Promise.resolve(result)
        : settle(result, context);
    } catch (error) {
      return answerError(error, context);
    }
  };
}
