import type { RequestContext } from "../../router/mod.ts";

/**
 * Creates a 429 response that says how long to wait.
 *
 * @example After too many guesses
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { tooManyRequests } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const context = new RequestContext(new Request("https://example.com/login"));
 * const response = await tooManyRequests(context, 30);
 * assertEquals(response.status, 429);
 * assertEquals(response.headers.get("Retry-After"), "30");
 * ```
 *
 * @param context The context of the request.
 * @param retryAfter The seconds to wait.
 * @param init The body and more headers.
 * @returns The response, which caches do not store.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6585#section-4 | RFC 6585, 429 Too Many Requests}
 */
export function tooManyRequests(
  context: RequestContext,
  retryAfter: number,
  init: TooManyRequestsInit = {},
): Response | Promise<Response> {
  const { body } = init;
  const headers = new Headers(init.headers);
  headers.set("Retry-After", String(Math.max(0, Math.ceil(retryAfter))));
  headers.set("Cache-Control", "no-store");
  return body === undefined
    ? context.createErrorResponse({ status: 429 }, headers)
    : new Response(body, { status: 429, headers });
}

/** The body and the headers of {@linkcode tooManyRequests}. */
export interface TooManyRequestsInit {
  /**
   * The body, such as the form with a message.
   *
   * @default {the router's error response}
   */
  readonly body?: BodyInit;
  /**
   * More headers, such as the type of the body.
   *
   * @default {no headers}
   */
  readonly headers?: HeadersInit;
}
