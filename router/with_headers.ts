/**
 * Changes the headers of a response, or of a copy if they are immutable, like
 * those of `Response.redirect()` and `fetch()`. An upgrade (101) cannot be copied
 * and keeps its headers.
 *
 * @example Adding a header to a redirect
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withHeaders } from "@gatehouse/web/fetch-router";
 *
 * const response = withHeaders(
 *   Response.redirect("https://example.com/"),
 *   (headers) => headers.set("Cache-Control", "no-store"),
 * );
 * assertEquals(response.headers.get("Cache-Control"), "no-store");
 * assertEquals(response.status, 302);
 * ```
 *
 * @param response The response.
 * @param edit Changes the headers. It may be called twice.
 * @returns The response, or its copy.
 */
export function withHeaders(
  response: Response,
  edit: (headers: Headers) => void,
): Response {
  try {
    edit(response.headers);
    return response;
  } catch (error) {
    // Immutable headers throw a TypeError (Fetch, "headers guard").
    if (!(error instanceof TypeError)) throw error;
    if (response.status === 101) return response;
    const copy = new Response(response.body, response);
    edit(copy.headers);
    return copy;
  }
}
