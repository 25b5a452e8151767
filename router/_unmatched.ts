import type { RequestContext } from "./context/context.ts";

/**
 * Responds if no route matches: with 404, or with 405 or to OPTIONS with `Allow`
 * if the path has other methods (RFC 9110, sections 9.3.7 and 15.5.6).
 */
export function respondUnmatched(
  context: RequestContext,
): Response | Promise<Response> {
  const headers = { Allow: context.allowedMethods.join(", ") };
  if (!headers.Allow) return context.createErrorResponse({ status: 404 });
  return context.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : context.createErrorResponse({ status: 405 }, headers);
}
