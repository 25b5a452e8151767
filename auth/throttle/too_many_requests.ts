/**
 * Creates a 429 response that says how long to wait.
 *
 * @example After too many guesses
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { tooManyRequests } from "@gatehouse/web/auth";
 *
 * const response = tooManyRequests(30);
 * assertEquals(response.status, 429);
 * assertEquals(response.headers.get("Retry-After"), "30");
 * ```
 *
 * @param retryAfter The seconds to wait.
 * @param init The body and more headers.
 * @returns The response, which caches do not store.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6585#section-4 | RFC 6585, 429 Too Many Requests}
 */
export function tooManyRequests(
  retryAfter: number,
  init: TooManyRequestsInit = {},
): Response {
  const { body = "Too Many Requests" } = init;
  const headers = new Headers(init.headers);
  headers.set("Retry-After", String(Math.max(0, Math.ceil(retryAfter))));
  headers.set("Cache-Control", "no-store");
  return new Response(body, { status: 429, headers });
}

/** The body and the headers of {@linkcode tooManyRequests}. */
export interface TooManyRequestsInit {
  /**
   * The body, such as the form with a message.
   *
   * @default {"Too Many Requests"}
   */
  readonly body?: BodyInit;
  /**
   * More headers, such as the type of the body.
   *
   * @default {no headers}
   */
  readonly headers?: HeadersInit;
}
