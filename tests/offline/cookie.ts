/**
 * Replaces `@std/http/cookie` if JSR is unreachable. It rejects the same input,
 * so a caller that passes here passes with the original. It does not use an npm
 * package, so that bundles have about the same size as with the original.
 */

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

/** The grammar of each part (RFC 6265, section 4.1.1). */
const GRAMMAR = {
  name: /^[!#$%&'*+./\w^`|~-]+$/,
  value: /^[!#-+\--:<-[\]-~]*$/,
  domain: /^(?!-)[!-:<-~]*(?<![.-])$/,
  path: /^[ -:<-~]*$/,
  maxAge: /^[\d.]+$/,
};

/** Appends a `Set-Cookie` header; changes a cookie whose name has a prefix. */
export function setCookie(headers: Headers, cookie: Cookie): void {
  if (/^__(?:Secure|Host)/.test(cookie.name)) cookie.secure = true;
  if (cookie.name.startsWith("__Host")) {
    cookie.path = "/";
    delete cookie.domain;
  }
  for (const [part, grammar] of Object.entries(GRAMMAR)) {
    const value = cookie[part as keyof typeof GRAMMAR];
    if (value !== undefined && !grammar.test(String(value))) {
      throw new SyntaxError(`Cannot set cookie "${cookie.name}": bad ${part}`);
    }
  }
  const { expires, maxAge } = cookie;
  const attributes = {
    "Domain": cookie.domain,
    "Path": cookie.path,
    "Expires": expires && new Date(expires).toUTCString(),
    "Max-Age": Number.isInteger(maxAge) ? String(maxAge) : undefined,
    "SameSite": cookie.sameSite,
    "HttpOnly": cookie.httpOnly,
    "Secure": cookie.secure,
    "Partitioned": cookie.partitioned,
  };
  let text = `${cookie.name}=${cookie.value}`;
  for (const [name, value] of Object.entries(attributes)) {
    if (value) text += value === true ? `; ${name}` : `; ${name}=${value}`;
  }
  headers.append("Set-Cookie", text);
}
