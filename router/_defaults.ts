import { isServed } from "./abort.ts";
import type { RequestContext } from "./context/context.ts";

/**
 * Answers what no route matches: 404, or 405 and OPTIONS with `Allow` where the
 * path exists under other methods (RFC 9110, sections 9.3.7 and 15.5.6).
 */
export function defaultHandler(context: RequestContext): Response {
  const headers = { Allow: context.allowedMethods.join(", ") };
  if (!headers.Allow) return new Response("Not Found", { status: 404 });
  return context.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : new Response("Method Not Allowed", { status: 405, headers });
}

/** Prints what was thrown, for the operator alone, and answers 500. */
export function defaultOnError(error: unknown): Response {
  console.error(error);
  return new Response("Internal Server Error", { status: 500 });
}

/** The response without its body, which is cancelled so that it can clean up. */
export async function toHead(
  result: Response | Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  const response = await result;
  // Where the body is null servers tell the length 0, which is not that of GET
  // (RFC 9110, section 8.6). They tell none of a stream. The headers come first:
  // asked for its body, Bun forgets the type of a file.
  const isLengthKept = response.headers.has("Content-Length") ||
    !isServed(context);
  if (response.body === null) return response;
  // What the body's own clean-up throws has no one left to go to.
  response.body.cancel().catch(() => {});
  return new Response(isLengthKept ? null : ReadableStream.from([]), response);
}
