/** The longest header that is parsed. Browsers send about 150 characters. */
const MAX_HEADER = 1024;

/** A value of a header such as `Accept`, with its weight. */
export type AcceptedValue = readonly [value: string, quality: number];

/**
 * Parses a header such as `Accept` or `Accept-Language`, in lowercase. A malformed
 * weight is 0, and a header that is too long has no values.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2 | RFC 9110, Quality Values}
 */
export function acceptedValues(header: string | null): AcceptedValue[] {
  if (header === null || header.length > MAX_HEADER) return [];
  return header.toLowerCase().split(",").map((range) => {
    const [value, ...parameters] = range.split(";").map((part) => part.trim());
    return [value!, qualityOf(parameters)];
  });
}

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
    ? Number(weight.slice(2))
    : 0;
}
