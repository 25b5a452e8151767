import { isToken } from "../../router/internal.ts";
import {
  MAX_COOKIE_BYTES,
  readCookiesBelow,
  serializeCookie as serialize,
} from "./prefixed_cookie.ts";

/** Options for {@linkcode serializeCookie}. */
export interface CookieOptions {
  /**
   * The lifetime in seconds. 0 deletes the cookie. By default it ends when the
   * browser closes.
   *
   * @default {undefined}
   */
  readonly maxAge?: number;
  /**
   * The path of the requests that include the cookie.
   *
   * @default {"/"}
   */
  readonly path?: string;
  /**
   * The domain whose subdomains get the cookie too.
   *
   * @default {undefined}
   */
  readonly domain?: string;
  /**
   * The cross-site requests that include the cookie.
   *
   * @default {"Lax"}
   */
  readonly sameSite?: "Strict" | "Lax" | "None";
  /**
   * `false` to send the cookie over http as well.
   *
   * @default {true}
   */
  readonly secure?: boolean;
  /**
   * `false` to let scripts read the cookie.
   *
   * @default {true}
   */
  readonly httpOnly?: boolean;
  /**
   * `true` to give each top-level site a separate cookie.
   *
   * @default {false}
   */
  readonly partitioned?: boolean;
}

/**
 * Parses a `Cookie` header. If several cookies have the same name, it returns
 * the first one, which has the longest path.
 *
 * Trust: any client can send any value. A sibling host can plant a cookie,
 * unless its name begins with `__Host-`. A script can plant one, unless its
 * name begins with `__Host-Http-`.
 *
 * @example The cookies of a request
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseCookies } from "@gatehouse/web/session";
 *
 * const cookies = parseCookies("theme=dark; name=Ada%20L");
 * assertEquals(cookies.get("theme"), "dark");
 * assertEquals(cookies.get("name"), "Ada L");
 * ```
 *
 * @param header The value of the header, or `null`.
 * @returns The values by name, percent-decoded if they are valid.
 */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const [name, value] of readCookiesBelow(header, "")) {
    if (!cookies.has(name)) cookies.set(name, decode(value));
  }
  return cookies;
}

/**
 * Serializes a cookie for `Set-Cookie`. By default, scripts cannot read it, and
 * browsers send it over HTTPS only, not with forms of other sites.
 *
 * @example Setting and deleting a cookie
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * import { serializeCookie } from "@gatehouse/web/session";
 *
 * const headers = new Headers();
 * headers.append("Set-Cookie", serializeCookie("theme", "dark"));
 * headers.append("Set-Cookie", serializeCookie("old", "", { maxAge: 0 }));
 * assertStringIncludes(headers.getSetCookie()[0], "theme=dark; ");
 * assertStringIncludes(headers.getSetCookie()[1], "Max-Age=0");
 * ```
 *
 * @param name The name.
 * @param value The value. Characters that a cookie cannot contain are
 * percent-encoded.
 * @param options The attributes.
 * @returns The value of the header.
 * @throws {TypeError} If the name or an attribute is invalid, or browsers would
 * reject the combination.
 * @throws {RangeError} If the name and the value take more than 4,096 bytes:
 * browsers ignore such a cookie.
 */
export function serializeCookie(
  name: string,
  value: string,
  options: CookieOptions = {},
): string {
  const { secure = true, sameSite = "Lax", path = "/" } = options;
  const isHost = /^__Host-/i.test(name);
  const problem = !isToken(name)
    ? "its name is not a token"
    : !["Strict", "Lax", "None"].includes(sameSite)
    ? `sameSite "${sameSite}" is not Strict, Lax or None`
    : !secure && (sameSite === "None" || options.partitioned === true)
    ? "it has to be secure"
    : /^__(?:Host|Http|Secure)-/i.test(name) && !secure
    ? "its prefix needs secure"
    : /^__(?:Host-)?Http-/i.test(name) && options.httpOnly === false
    ? "its prefix needs httpOnly"
    : [path, options.domain].some((part) => part && part.length > 1024)
    ? "browsers ignore an attribute of more than 1,024 characters"
    : isHost && (path !== "/" || options.domain !== undefined)
    ? "its prefix allows neither a path nor a domain"
    : undefined;
  const encoded = encode(value);
  const size = name.length + encoded.length;
  if (problem === undefined && size > MAX_COOKIE_BYTES) {
    throw new RangeError(
      `Cannot serialize cookie "${
        name.slice(0, 64)
      }": its name and value take ${size} bytes, and browsers accept at most ${MAX_COOKIE_BYTES}`,
    );
  }
  try {
    if (problem !== undefined) throw new TypeError(problem);
    const attributes = { ...options, secure, sameSite, path };
    return serialize({ ...attributes, name, value: encoded });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it is invalid";
    throw new TypeError(`Cannot serialize cookie "${name}": ${reason}`);
  }
}

/** Encodes `%` and the characters that a value cannot have (RFC 6265, 4.1.1). */
function encode(value: string): string {
  return value.toWellFormed()
    .replace(/[^!#$&-+\--:<-[\]-~]+/g, encodeURIComponent);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
