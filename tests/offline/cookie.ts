/**
 * Stands in for `@std/http/cookie` where JSR cannot be reached, with the same
 * refusals: callers that pass here pass there.
 */
import { parse, serialize } from "npm:cookie@^1.0.2";

/** A cookie to set. */
export interface Cookie {
  name: string;
  value: string;
  expires?: Date | number;
  /** Seconds. */
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  partitioned?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
}

/** Reads the `Cookie` header; throws at a pair without a name or an `=`. */
export function getCookies(headers: Headers): Record<string, string> {
  const header = headers.get("Cookie");
  const cookies: Record<string, string> = {};
  for (const pair of header?.split(";") ?? []) {
    if (!/^\s*[^=\s][^=]*=/.test(pair)) {
      throw new SyntaxError("Cannot parse the Cookie header: malformed pair");
    }
    // One pair at a time: of two with the same name the last one counts.
    Object.assign(cookies, parse(pair, { decode: (text) => text }));
  }
  return cookies;
}

/** Appends a `Set-Cookie` header; changes a cookie whose name has a prefix. */
export function setCookie(headers: Headers, cookie: Cookie): void {
  if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(cookie.value)) {
    throw new SyntaxError(`Cannot set cookie "${cookie.name}": invalid value`);
  }
  if (cookie.name.startsWith("__Secure")) cookie.secure = true;
  if (cookie.name.startsWith("__Host")) {
    cookie.secure = true;
    cookie.path = "/";
    delete cookie.domain;
  }
  const { name, value, expires, maxAge, sameSite, ...attributes } = cookie;
  if (maxAge !== undefined && maxAge < 0) {
    throw new RangeError(`Cannot set cookie "${name}": negative maxAge`);
  }
  headers.append(
    "Set-Cookie",
    serialize(name, value, {
      ...attributes,
      encode: (text) => text,
      maxAge: Number.isInteger(maxAge) ? maxAge : undefined,
      expires: expires === undefined ? undefined : new Date(expires),
      sameSite: sameSite?.toLowerCase() as Lowercase<typeof sameSite & string>,
    }),
  );
}

/** Appends a `Set-Cookie` header that expires the cookie. */
export function deleteCookie(
  headers: Headers,
  name: string,
  attributes?: Omit<Cookie, "name" | "value" | "expires" | "maxAge">,
): void {
  setCookie(headers, { name, value: "", expires: new Date(0), ...attributes });
}
