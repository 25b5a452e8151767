import type { RequestContext } from "./context/context.ts";

/**
 * Responds if no route matches: with 404, or with 405 or to OPTIONS with `Allow`
 * if the path has other methods (RFC 9110, sections 9.3.7 and 15.5.6).
 */
export function respondUnmatched(
  context: RequestContext,
): Response | Promise<Response> {
  const { allowedMethods } = context;
  if (allowedMethods.length === 0) {
    return context.createErrorResponse(NOT_FOUND);
  }
  const headers = { Allow: allowedMethods.join(", ") };
  return context.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : context.createErrorResponse({ status: 405 }, headers);
}

const NOT_FOUND = { status: 404 };
