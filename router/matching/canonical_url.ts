/**
 * The origin of the last URL, in canonical form, with a slash. Most requests of
 * a server share one origin, and parsing each URL would take 500 ns.
 */
let lastOrigin = "http://localhost/";

/**
 * Returns the index of the path in a URL that has a canonical http or https
 * origin and no credentials; -1 for any other string.
 */
export function pathStart(url: string): number {
  return url.startsWith(lastOrigin)
    ? lastOrigin.length - 1
    : findPathStart(url);
}

function findPathStart(url: string): number {
  const origin = URL.parse(url)?.origin ?? "";
  if (!/^http/.test(origin) || !url.startsWith(`${origin}/`)) return -1;
  lastOrigin = `${origin}/`;
  return origin.length;
}

/**
 * Returns the canonical form of a request's URL, or `null` if it is not a valid
 * http or https URL, or has credentials. The form is that of
 * `new URL(url).href`. A URL that is plainly in this form is returned
 * unchanged.
 */
export function canonicalHref(url: string): string | null {
  if (isPlain(url, pathStart(url))) return url;
  const href = URL.parse(url)?.href ?? "";
  return pathStart(href) < 0 ? null : href;
}

/**
 * The longest URL that the expression reads, in characters. A group that repeats
 * takes memory with each turn; some millions are too many.
 */
const MAX_PLAIN = 65_536;

/**
 * Returns `true` if a URL is plainly canonical.
 *
 * @param start The position in its path up to which this is known; -1 if the URL
 * has no path.
 */
export function isPlain(url: string, start: number): boolean {
  PLAIN_REST.lastIndex = start;
  return start >= 0 && url.length <= MAX_PLAIN && PLAIN_REST.test(url);
}

/** A dot that follows a slash, and every escaped dot, may be a dot segment. */
const PLAIN_REST =
  /[\w\-~!$&'()*+,;=:@/]*(?:(?:(?<!\/)\.|%(?!2e))[\w\-~!$&'()*+,;=:@/]*)*(?:\?[\w\-.~!$&()*+,;=:@/?%[\]]*)?$/iy;
