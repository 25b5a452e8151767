/**
 * Marks the context of a request whose `Origin` header a middleware failed to
 * check. The middleware never sees the response to its error, which caches must not
 * reuse for other origins.
 */
export class VariesByOrigin {}

/** A `Vary` header that contains the origin. */
const VARIES = /(?:^|,)\s*(?:\*|origin)\s*(?:,|$)/i;

/** Adds the origin to the `Vary` header (Fetch Standard, CORS protocol and HTTP caches). */
export function varyByOrigin(headers: Headers): void {
  if (!VARIES.test(headers.get("Vary") ?? "")) headers.append("Vary", "Origin");
}
