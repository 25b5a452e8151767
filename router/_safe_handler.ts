import type { RequestHandler } from "./action.ts";
import type { RequestContext } from "./context/context.ts";
import { Platform } from "./context/platform.ts";

/** Responds to a request. It never throws, and its promise never rejects. */
export type SafeHandler = (
  context: RequestContext,
) => Response | Promise<Response>;

/** Responds to an error and stores it on the context. It never rejects. */
export type ErrorHandler = (
  error: unknown,
  context: RequestContext,
) => Promise<Response>;

// On Deno, `Response` is a getter of the global object, which takes longer than
// `instanceof`.
const ResponseClass = /* @__PURE__ */ (() => Response)();

/** Returns `true` for a response. */
export function isResponse(value: unknown): value is Response {
  return value instanceof ResponseClass;
}

/** Passes errors of a handler, and results of another type, to `handleError`. */
export function catchErrors(
  handler: RequestHandler,
  handleError: ErrorHandler,
): SafeHandler {
  return (context) => {
    try {
      const result = handler(context);
      return isResponse(result)
        ? result
        : catchRejection(result, context, handleError);
    } catch (error) {
      return handleError(error, context);
    }
  };
}

function catchRejection(
  result: Promise<Response>,
  context: RequestContext,
  handleError: ErrorHandler,
): Promise<Response> {
  const fail = (error: unknown) => handleError(error, context);
  return Promise.resolve(result).then(
    (response) => {
      if (isResponse(response)) return response;
      return response === undefined && isUpgradeOnBun(context)
        ? new ResponseClass(null, { status: 101 })
        : fail(noResponse(context));
    },
    fail,
  );
}

/**
 * Returns `true` if Bun's server may have upgraded the request to a WebSocket. Its
 * handlers then return nothing, and only Bun creates responses with status 101.
 */
function isUpgradeOnBun(context: RequestContext): boolean {
  const { upgrade, requestIP } = Object(context.get(Platform)[0]);
  return typeof upgrade === "function" && typeof requestIP === "function" &&
    context.request.headers.get("Upgrade")?.toLowerCase() === "websocket";
}

function noResponse({ method, route, url }: RequestContext): TypeError {
  const target = route?.pattern.source ?? url.pathname;
  const whose = route ? "its" : "the default";
  return new TypeError(
    `Cannot answer ${method} "${target}": ${whose} handler returned no Response`,
  );
}
