/**
 * Creates a response that redirects the client.
 *
 * Trust: the location is sent unchanged. Pass values of a request through
 * {@linkcode safeRedirectPath} first.
 *
 * @example After a form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { redirect } from "@gatehouse/web/fetch-router";
 *
 * const response = redirect("/account");
 * assertEquals(response.status, 302);
 * assertEquals(response.headers.get("Location"), "/account");
 * ```
 *
 * @param location The URL to go to. It may be relative.
 * @param status The status: 301, 302, 303, 307 or 308.
 * @returns The response.
 * @throws {RangeError} If the status is not a redirect status.
 * @throws {TypeError} If the location is not a valid header: encode characters
 * outside ASCII, as `href` and `safeRedirectPath` do.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.4 | RFC 9110, Redirection 3xx}
 */
export function redirect(location: string | URL, status = 302): Response {
  if (!isRedirect(status)) {
    throw new RangeError(
      `Cannot redirect with status "${status}": it is not a redirect`,
    );
  }
  return new Response(null, {
    status,
    headers: { Location: String(location) },
  });
}

/** Returns `true` for the status of a redirect (Fetch, "redirect status"). */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
