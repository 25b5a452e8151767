import { isAbort } from "./abort.ts";
import type { AnswerError } from "./_chain.ts";
import type { RequestContext } from "./context/context.ts";
import { defaultOnError } from "./_defaults.ts";
import { isResponse } from "./_response.ts";
import type { RouterOptions } from "./router.ts";

/** Creates the function that answers errors at the place where they occur. */
export function answerErrorsWith(
  onError: Required<RouterOptions>["onError"],
): AnswerError {
  return async (thrown, context) => {
    const error = thrown === undefined ? undefinedThrown(context) : thrown;
    context.error = error;
    // The client left. No server sends this, and the log says it.
    if (isAbort(error, context)) return new Response(null, { status: 499 });
    try {
      const response = await (ownResponse(error) ?? onError(error, context));
      if (isResponse(response)) return response;
      throw new TypeError(
        "Cannot answer an error: onError returned no Response",
      );
    } catch (another) {
      // A `fetch` that rejects would make some servers send the error's text.
      if (another !== error) console.error(error);
      return defaultOnError(another);
    }
  };
}

/** Returns the response of an error that has one, such as a 409. */
function ownResponse(error: unknown): Response | undefined {
  const { toResponse } = Object(error) as { toResponse?: unknown };
  return typeof toResponse === "function" ? toResponse.call(error) : undefined;
}

/** `context.error` is `undefined` if there was no error. */
function undefinedThrown({ method, url }: RequestContext): TypeError {
  return new TypeError(
    `Cannot answer ${method} "${url.pathname}": undefined was thrown`,
  );
}
