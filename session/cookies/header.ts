// The only module that imports @std/http/cookie.
import { type Cookie, setCookie } from "@std/http/cookie";

/** A cookie to set. */
export interface CookieToSet {
  /** The name, with its prefix. */
  readonly name: string;
  /** The value, in the characters that RFC 6265 allows. */
  readonly value: string;
  /** The lifetime in seconds; 0 removes the cookie. Default: until the browser closes. */
  readonly maxAge?: number;
  /** The domain. Default: this host only. */
  readonly domain?: string;
  /** The path. */
  readonly path: string;
  /** `true` if browsers send the cookie over HTTPS only. */
  readonly secure: boolean;
  /** The cross-site requests that include the cookie. */
  readonly sameSite: "Strict" | "Lax" | "None";
  /** `true` if each top-level site has a separate cookie. */
  readonly partitioned?: boolean;
}

/**
 * Returns all values of a name in a `Cookie` header, in order. A name may occur
 * several times, with cookies of a parent domain or a longer path. A value can
 * be any string, so callers must validate it.
 *
 * `getCookies` of @std/http throws on a malformed pair, which any sibling
 * subdomain can plant, and returns only the last of equal names.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6265#section-5.4 | RFC 6265, 5.4}
 */
export function readCookies(header: string | null, name: string): string[] {
  const values: string[] = [];
  forEachCookie(header, name, (found, value) => {
    if (found === name) values.push(value);
  });
  return values;
}

/** Returns the names and values of the cookies whose names have a prefix. */
export function readCookiesBelow(
  header: string | null,
  prefix: string,
): [name: string, value: string][] {
  const cookies: [string, string][] = [];
  forEachCookie(header, prefix, (name, value) => cookies.push([name, value]));
  return cookies;
}

/** Calls a function for each cookie whose name has a prefix. */
function forEachCookie(
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
    // A new search for each pair would take O(n²) for a header of semicolons only.
    if (equals < start) equals = header.indexOf("=", start);
    if (equals < 0) break;
    if (equals > end) continue;
    while (isSpace(header, start)) start++;
    if (!header.startsWith(prefix, start)) continue;
    visit(
      trimSpaces(header, start, equals),
      trimSpaces(header, equals + 1, end),
    );
  }
}

/**
 * Returns a part of a header without the spaces and tabs around it. `trim` would
 * also remove a no-break space before `__Host-`, which any subdomain can set.
 */
function trimSpaces(header: string, start: number, end: number): string {
  while (start < end && isSpace(header, start)) start++;
  while (start < end && isSpace(header, end - 1)) end--;
  return header.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}

/** Creates the value of a `Set-Cookie` header. The cookie is always HttpOnly. */
export function serializeCookie(cookie: CookieToSet): string {
  const headers = new Headers();
  const { maxAge, ...attributes } = cookie;
  // setCookie() changes its argument for names with a prefix.
  const copy: Cookie = { ...attributes, httpOnly: true };
  if (maxAge !== undefined) {
    copy.maxAge = Math.floor(maxAge);
    if (maxAge === 0) copy.expires = new Date(0);
  }
  setCookie(headers, copy);
  return headers.get("Set-Cookie") ?? "";
}
