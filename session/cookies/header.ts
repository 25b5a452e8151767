// The only module that imports @std/http/cookie.
import { type Cookie, setCookie } from "@std/http/cookie";

/** A cookie to set. */
export interface CookieToSet {
  /** The name, with its prefix. */
  readonly name: string;
  /** The value, of the characters that RFC 6265 allows. */
  readonly value: string;
  /** Seconds; 0 expires the cookie, and none means until the browser closes. */
  readonly maxAge?: number;
  /** The domain; none means this host alone. */
  readonly domain?: string;
  /** The path. */
  readonly path: string;
  /** Whether only https carries it. */
  readonly secure: boolean;
  /** Which cross-site requests carry it. */
  readonly sameSite: "Strict" | "Lax" | "None";
  /** Whether each top-level site has its own. */
  readonly partitioned?: boolean;
}

/**
 * Reads every value that a `Cookie` header has for a name, in its order. One
 * name may come several times, from a parent domain or a longer path. A value
 * can be any text: whoever reads it has to check it.
 *
 * Not with `getCookies`: it throws at one malformed pair, which any neighbour
 * subdomain can plant, and keeps only the last of equal names.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6265#section-5.4 | RFC 6265, 5.4}
 */
export function readCookies(header: string | null, name: string): string[] {
  const values: string[] = [];
  scan(header, name, (found, value) => {
    if (found === name) values.push(value);
  });
  return values;
}

/** Reads the cookies whose names begin with a text, with their names. */
export function readCookiesBelow(
  header: string | null,
  prefix: string,
): [name: string, value: string][] {
  const cookies: [string, string][] = [];
  scan(header, prefix, (name, value) => cookies.push([name, value]));
  return cookies;
}

/** Visits the cookies whose names begin with a text. */
function scan(
  header: string | null,
  prefix: string,
  visit: (name: string, value: string) => void,
): void {
  if (header === null || !header.includes(prefix)) return;
  let equals = -1;
  let end: number;
  for (let start = 0; start < header.length; start = end + 1) {
    end = header.indexOf(";", start);
    if (end < 0) end = header.length;
    // Not anew for each pair: a header of separators alone would take forever.
    if (equals < start) equals = header.indexOf("=", start);
    if (equals < 0) break;
    if (equals > end) continue;
    while (isSpace(header, start)) start++;
    if (!header.startsWith(prefix, start)) continue;
    visit(
      trimmed(header, start, equals),
      trimmed(header, equals + 1, end),
    );
  }
}

/**
 * Cuts out what is between two spaces. Only what browsers put there: by `trim`,
 * a no-break space in front of `__Host-` would pass, which any subdomain can set.
 */
function trimmed(header: string, start: number, end: number): string {
  while (start < end && isSpace(header, start)) start++;
  while (start < end && isSpace(header, end - 1)) end--;
  return header.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}

/** Builds the value of a `Set-Cookie` header. Always HttpOnly. */
export function serializeCookie(cookie: CookieToSet): string {
  const headers = new Headers();
  const { maxAge, ...attributes } = cookie;
  // A copy: setCookie writes into its argument for prefixed names.
  const copy: Cookie = { ...attributes, httpOnly: true };
  if (maxAge !== undefined) {
    copy.maxAge = Math.floor(maxAge);
    if (maxAge === 0) copy.expires = new Date(0);
  }
  setCookie(headers, copy);
  return headers.get("Set-Cookie") ?? "";
}
