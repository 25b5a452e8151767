import { acceptedValues } from "../context/accepted_values.ts";

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/;

/**
 * Returns `true` if a client asks for a JSON type, and prefers no text type to
 * it. A wildcard does not count, so browsers and `curl` prefer text.
 *
 * @example A program and a browser
 * ```ts
 * import { assert, assertFalse } from "@std/assert";
 * import { prefersJSON } from "@gatehouse/web/fetch-router";
 *
 * const accepting = (accept: string) =>
 *   new Request("https://example.com/", { headers: { Accept: accept } });
 *
 * assert(prefersJSON(accepting("application/json")));
 * assertFalse(prefersJSON(accepting("text/html, application/json;q=0.9")));
 * ```
 *
 * @param request The request.
 * @returns `true` if the client prefers JSON.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 | RFC 9110, Accept}
 */
export function prefersJSON(request: Request): boolean {
  let jsonQuality = 0;
  let textQuality = 0;
  const accept = request.headers.get("Accept");
  // Most requests, those of browsers, ask for no JSON type.
  if (accept === null || !/json/i.test(accept)) return false;
  for (const [type, quality] of acceptedValues(accept)) {
    if (JSON_TYPE.test(type)) jsonQuality = Math.max(jsonQuality, quality);
    if (type === "text/html" || type === "text/plain") {
      textQuality = Math.max(textQuality, quality);
    }
  }
  return jsonQuality > 0 && jsonQuality >= textQuality;
}
