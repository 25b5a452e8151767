/** The origin of the last URL, in canonical form, with a slash. */
let lastOrigin = "http://localhost/";
/** The same with what follows a slash: no text between begins otherwise. */
let lastEnd = "http://localhost0";

/**
 * V8 compares texts by order in half the time that it takes to ask how one
 * begins. To JavaScriptCore it is the other way round.
 */
const isOrderSlow = /* @__PURE__ */ (() => "Bun" in globalThis)();

/**
 * Where the path of a URL begins that has a canonical http or https origin and
 * no credentials; -1 for any other text.
 */
export function pathStart(url: string): number {
  const isLast = isOrderSlow
    ? url.startsWith(lastOrigin)
    : url >= lastOrigin && url < lastEnd;
  return isLast ? lastOrigin.length - 1 : findPathStart(url);
}

function findPathStart(url: string): number {
  const origin = URL.parse(url)?.origin ?? "";
  if (!/^http/.test(origin) || !url.startsWith(`${origin}/`)) return -1;
  lastOrigin = `${origin}/`;
  lastEnd = `${origin}0`;
  return origin.length;
}

/**
 * The canonical text of a request's URL, or `null` where it is no valid http
 * or https URL, or has credentials. It is what `new URL(url).href` says; text
 * that is plainly in that form already is returned as it is.
 */
export function canonicalHref(url: string): string | null {
  if (isPlain(url, pathStart(url))) return url;
  const href = URL.parse(url)?.href ?? "";
  return pathStart(href) < 0 ? null : href;
}

/**
 * Longer URLs are for the URL parser: a group that repeats takes a regular
 * expression memory with each turn, and some millions are too many.
 */
const MAX_LOOK = 65_536;

/**
 * Whether a URL is plainly canonical from a position in its path on.
 *
 * @param start Where to begin; -1 where there is no path.
 */
export function isPlain(url: string, start: number): boolean {
  if (start < 0 || url.length > MAX_LOOK) return false;
  PLAIN_REST.lastIndex = start;
  return PLAIN_REST.test(url);
}

/** Dots and their escapes may be dot segments unless they are inside of one. */
const PLAIN_REST =
  /[\w\-~!$&'()*+,;=:@/]*(?:(?:(?<!\/)\.|%(?!2e))[\w\-~!$&'()*+,;=:@/]*)*(?:\?[\w\-.~!$&()*+,;=:@/?%[\]]*)?$/iy;
