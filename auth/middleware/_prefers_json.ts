/** Longer headers are not looked at. Browsers send about 150 characters. */
const longest = 1024;

const json = /^application\/(?:json|[\w.+-]+\+json)$/;

/**
 * Tells whether a client asks for JSON: it names a JSON type, and none of text
 * that it likes better. A wildcard asks for nothing.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 | RFC 9110, Accept}
 */
export function prefersJSON(accept: string | null): boolean {
  if (accept === null || accept.length > longest) return false;
  let jsonQuality = 0;
  let textQuality = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (json.test(type)) jsonQuality = Math.max(jsonQuality, quality);
    if (type === "text/html" || type === "text/plain") {
      textQuality = Math.max(textQuality, quality);
    }
  }
  return jsonQuality > 0 && jsonQuality >= textQuality;
}

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((one) => one.startsWith("q="));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
    ? Number(weight.slice(2))
    : 0;
}
