/** The longest header that is parsed. Browsers send about 150 characters. */
const MAX_ACCEPT_LENGTH = 1024;

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
  const accept = request.headers.get("Accept");
  if (
    accept === null || accept.length > MAX_ACCEPT_LENGTH ||
    !/json/i.test(accept)
  ) return false;
  let jsonQuality = 0;
  let textQuality = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (JSON_TYPE.test(type!)) jsonQuality = Math.max(jsonQuality, quality);
    if (type === "text/html" || type === "text/plain") {
      textQuality = Math.max(textQuality, quality);
    }
  }
  return jsonQuality > 0 && jsonQuality >= textQuality;
}

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
    ? Number(weight.slice(2))
    : 0;
}
