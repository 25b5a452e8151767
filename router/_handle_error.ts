import { isAbort } from "./abort.ts";
import { type ErrorHandler, isResponse } from "./_safe_handler.ts";
import type { RequestContext } from "./context/context.ts";
import { VariesByOrigin, varyByOrigin } from "./context/varies_by_origin.ts";
import { defaultResponse } from "./errors/error_response.ts";
import type { RouterOptions } from "./router.ts";
import { withHeaders } from "./with_headers.ts";

/** Creates the function that responds to errors at the place of the error. */
export function createErrorHandler(
  onError: RouterOptions["onError"] = respondDefault,
): ErrorHandler {
  async function respond(
    thrown: unknown,
    context: RequestContext,
  ): Promise<Response> {
    const error = thrown === undefined ? undefinedThrown(context) : thrown;
    context.error = error;
    // The client left. No server sends this, but the log shows it.
    if (isAbort(error, context)) return new Response(null, { status: 499 });
    try {
      const response =
        await (ownResponse(error, context) ?? onError(error, context));
      if (isResponse(response)) return response;
      throw new TypeError(
        "Cannot answer an error: onError returned no Response",
      );
    } catch (another) {
      // A `fetch` that rejects would make some servers send the error's text.
      if (another !== error) console.error(error);
      console.error(another);
      // The application's response is not an option here: it may have failed.
      return defaultResponse(context, INTERNAL);
    }
  }

  return async (thrown, context) => {
    const response = await respond(thrown, context);
    return context.has(VariesByOrigin)
      ? withHeaders(response, varyByOrigin)
      : response;
  };
}

const UNAVAILABLE = { "Cache-Control": "no-store", "Retry-After": "5" };

const INTERNAL = { status: 500, title: "Internal Server Error" };

/**
 * Prints the error, for the operator only, and responds with 500, or with 503 to
 * an error with this status, such as that of a store that is down.
 */
async function respondDefault(
  error: unknown,
  context: RequestContext,
): Promise<Response> {
  const { status } = Object(error) as { status?: unknown };
  const response =
    await (status === 503
      ? context.createErrorResponse({ status }, UNAVAILABLE)
      : context.createErrorResponse(INTERNAL));
  // The error is printed last, so that both errors appear if the application's
  // response fails.
  console.error(error);
  return response;
}

/** Returns the response of an error that has one, such as a 409. */
function ownResponse(
  error: unknown,
  context: RequestContext,
): Response | Promise<Response> | undefined {
  const { toResponse } = Object(error) as { toResponse?: unknown };
  return typeof toResponse === "function"
    ? toResponse.call(error, context)
    : undefined;
}

/** Creates an error, because `context.error` is `undefined` without one. */
function undefinedThrown({ method, url }: RequestContext): TypeError {
  return new TypeError(
    `Cannot answer ${method} "${url.pathname}": undefined was thrown`,
  );
}
