import {
  FORWARDING_HEADERS,
  isLoopback,
  isToken,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
// No other module imports @std/http/cookie.
import { type Cookie, setCookie } from "@std/http/cookie";

/** The cookie that carries a session's token. */
export interface SessionCookieOptions {
  /**
   * The name without the prefix `__Host-Http-` or `__Secure-`, which the library
   * adds.
   * At most 256 characters.
   *
   * @default {"session"}
   */
  readonly name?: string;
  /**
   * The domain whose subdomains share the session. It changes the prefix to
   * `__Secure-`.
   *
   * Trust: every host of that domain can then read the cookie and plant another
   * one.
   *
   * @default {undefined}
   */
  readonly domain?: string;
  /**
   * The path of the requests that include the cookie. Any path except `/` changes
   * the prefix to `__Secure-`.
   *
   * @default {"/"}
   */
  readonly path?: string;
  /**
   * The cross-site requests that include the cookie.
   *
   * @default {"Lax"}
   */
  readonly sameSite?: "Strict" | "Lax" | "None";
  /**
   * The lifetime of the cookie in seconds, from the beginning of the session or
   * from the login. By default it ends when the browser closes. It does not
   * change the timeouts of the session.
   *
   * @default {undefined}
   */
  readonly maxAge?: number;
  /**
   * `true` to give each top-level site a separate cookie (CHIPS), for pages that
   * other sites embed.
   *
   * @default {false}
   */
  readonly partitioned?: boolean;
}

/** The longest name of a cookie: browsers take 4,096 bytes with the value. */
const MAX_NAME = 256;

/** Labels separated by dots (RFC 1123, section 2.1), with an optional leading dot. */
const DOMAIN = /^(?:(?:^|\.)(?!-)[a-z\d-]{1,63}(?<!-))+$/i;

/** The prefix of a cookie that only one host gets. Scripts can plant `__Host-`. */
export type HostPrefix = "__Host-Http-" | "__Host-";

/** A change of a cookie by the response. */
export interface CookieChange {
  /** The end of the name, after the name of the session's cookie. */
  readonly suffix: string;
  /** The value, or `null` to remove the cookie. */
  readonly value: string | null;
  /** The lifetime in seconds, if it differs from that of the session's cookie. */
  readonly maxAge?: number;
}

/**
 * The name and the attributes of a cookie. The name has the prefix `__Host-Http-`,
 * or `__Secure-` if the cookie has a domain or a path. Scripts cannot set a cookie
 * with `Http-` in its prefix. Older browsers treat it as `__Host-`.
 *
 * @see {@link https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis | RFC 6265bis, cookie name prefixes}
 */
export class PrefixedCookie {
  readonly #options: SessionCookieOptions;
  /** The name without a prefix. It is part of each name of the cookie. */
  readonly name: string;
  readonly #secureName: string;
  readonly #secureOnly: boolean;
  readonly #isLocalOrigin: boolean;
  readonly #origin: string | undefined;

  /** @throws {TypeError} If an option cannot be part of a cookie. */
  constructor(
    options: SessionCookieOptions,
    origin: string | undefined,
    prefix: HostPrefix = "__Host-Http-",
  ) {
    const {
      name = "session",
      domain,
      path = "/",
      sameSite = "Lax",
      maxAge = 1,
    } = options;
    const problem = !isToken(name) || name.length > MAX_NAME ||
        /^__(?:Host|Http|Secure)-/i.test(name)
      ? `name "${name}" is not a plain cookie name`
      : domain !== undefined && !DOMAIN.test(domain)
      ? `domain "${domain}" is not a host name`
      : !/^\/[\x20-\x3a\x3c-\x7e]*$/.test(path)
      ? `path "${path}" does not begin with /`
      : !(maxAge >= 1 && maxAge < Infinity)
      ? `maxAge "${maxAge}" is not a finite number of 1 or more`
      : !/^(?:Strict|Lax|None)$/.test(sameSite)
      ? `sameSite "${sameSite}" is not Strict, Lax or None`
      : undefined;
    if (problem) {
      throw new TypeError(`Cannot create session cookie: ${problem}`);
    }
    this.#options = options;
    this.#origin = origin;
    this.name = name;
    const hostOnly = domain === undefined && path === "/";
    this.#secureName = `${hostOnly ? prefix : "__Secure-"}${name}`;
    this.#secureOnly = sameSite === "None" ||
      options.partitioned === true ||
      origin !== undefined && urlOf(origin).protocol === "https:";
    this.#isLocalOrigin = origin !== undefined && !this.#secureOnly &&
      isLocal(urlOf(origin).hostname);
  }

  /**
   * Returns another cookie with the same security attributes. Only this host gets
   * it, even if this cookie has a domain.
   */
  forHost(name: string, prefix?: HostPrefix): PrefixedCookie {
    const { domain: _domain, maxAge: _maxAge, path: _path, ...shared } =
      this.#options;
    return new PrefixedCookie({ ...shared, name }, this.#origin, prefix);
  }

  /** The name of the cookie outside local development. */
  get publicName(): string {
    return this.#secureName;
  }

  /** `true` if browsers send the cookie only from pages of the same site. */
  get isStrict(): boolean {
    return this.#options.sameSite === "Strict";
  }

  /**
   * Returns the cookie's name for a request. Cookies are set under this name.
   *
   * Only in local development do cookies lack the prefix and `Secure`: over
   * HTTP to a loopback name, from a loopback address, and without the headers
   * of a proxy, which might serve HTTPS. A local `origin` declares that no
   * proxy serves HTTPS. The development server of Workers needs it, because it
   * sends such a header.
   */
  nameFor(context: RequestContext): string {
    // The hostname comes last: behind a proxy, nothing else needs the parsed URL.
    const isDevelopment = !this.#secureOnly &&
      context.request.url.startsWith("http://") &&
      (this.#isLocalOrigin || isDirect(context)) &&
      isLocal(context.url.hostname);
    return isDevelopment ? this.name : this.#secureName;
  }

  /**
   * Returns the attributes of the cookie without its lifetime, or `null` without
   * `Secure`.
   *
   * @param name The name that `nameFor` returned.
   */
  attributesOf(name: string): string | null {
    if (name !== this.#secureName) return null;
    const header = this.setCookie({ suffix: "", value: "" }, name);
    return header.slice(header.indexOf(";") + 1).trim();
  }

  /**
   * Creates the `Set-Cookie` header that sets or removes the cookie.
   *
   * @param name The name that `nameFor` returned.
   */
  setCookie(change: CookieChange, name: string): string {
    const { path = "/", sameSite = "Lax", ...rest } = this.#options;
    const { suffix, value, maxAge = rest.maxAge } = change;
    return serializeCookie({
      ...rest,
      name: name + suffix,
      value: value ?? "",
      path,
      sameSite,
      secure: name !== this.name,
      maxAge: value === null ? 0 : maxAge,
    });
  }
}

function urlOf(origin: string): URL {
  const url = URL.parse(origin);
  if (url !== null) return url;
  throw new TypeError(
    `Cannot create session cookie: origin "${origin}" is not a URL`,
  );
}

/** Returns `true` if no proxy between the browser and the server is known. */
function isDirect({ request, remoteAddress }: RequestContext): boolean {
  return remoteAddress !== undefined && isLoopback(remoteAddress) &&
    !FORWARDING_HEADERS.some((name) => request.headers.has(name));
}

/** Browsers resolve every name below `localhost` to the machine itself. */
function isLocal(hostname: string): boolean {
  return isLoopback(hostname) || hostname.endsWith(".localhost");
}

/** Another cookie with the security attributes of the session's cookie. */
export interface HostCookie {
  /** The name with its prefix. */
  readonly name: string;
  /** The attributes without the lifetime, or `null` over HTTP without `Secure`. */
  readonly attributes: string | null;
  /** The value that the response sets, or that the browser sent. */
  readonly value: string | undefined;
  /** Sets the cookie on the response, for a number of seconds. */
  set(value: string, maxAge: number): void;
}

/** The host cookies of one request. */
export class HostCookies {
  readonly #base: PrefixedCookie;
  readonly #context: RequestContext;
  /** The cookies that the response sets, by name. */
  readonly #changed = new Map<string, { value: string; header: string }>();

  constructor(base: PrefixedCookie, context: RequestContext) {
    this.#base = base;
    this.#context = context;
  }

  /** The `Set-Cookie` headers. */
  get headers(): string[] {
    return [...this.#changed.values()].map(({ header }) => header);
  }

  /** Returns a cookie. */
  get(name: string, prefix?: HostPrefix): HostCookie {
    const cookie = this.#base.forHost(name, prefix);
    const fullName = cookie.nameFor(this.#context);
    const header = this.#context.request.headers.get("Cookie");
    return {
      name: fullName,
      attributes: cookie.attributesOf(fullName),
      value: this.#changed.get(fullName)?.value ??
        readCookies(header, fullName)[0],
      set: (value, maxAge) => {
        const change = { suffix: "", value, maxAge };
        const header = cookie.setCookie(change, fullName);
        this.#changed.set(fullName, { value, header });
      },
    };
  }
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
  for (const [found, value] of readCookiesBelow(header, name)) {
    if (found === name) values.push(value);
  }
  return values;
}

/** Returns the names and values of the cookies whose names have a prefix. */
export function readCookiesBelow(
  header: string | null,
  prefix: string,
): [name: string, value: string][] {
  const cookies: [string, string][] = [];
  if (header === null || !header.includes(prefix)) return cookies;
  let equals = -1;
  let end: number;
  for (let start = 0; start < header.length; start = end + 1) {
    end = header.indexOf(";", start);
    if (end < 0) end = header.length;
    // A new search for each pair would take O(n²) for a header of semicolons only.
    if (equals < start) equals = header.indexOf("=", start);
    if (equals < 0) break;
    if (equals > end) continue;
    while (header[start] === " " || header[start] === "\t") start++;
    if (!header.startsWith(prefix, start)) continue;
    const name = trimSpaces(header, start, equals);
    cookies.push([name, trimSpaces(header, equals + 1, end)]);
  }
  return cookies;
}

/**
 * Returns a part of a header without the spaces and tabs around it. `trim` would
 * also remove a no-break space before `__Host-`, which any subdomain can set.
 */
function trimSpaces(header: string, start: number, end: number): string {
  while (header[start] === " " || header[start] === "\t") start++;
  while (header[end - 1] === " " || header[end - 1] === "\t") end--;
  return header.slice(start, end);
}

/** The maximum size of a cookie's name and value in bytes (RFC 6265bis). */
export const MAX_COOKIE_BYTES = 4096;

/** A cookie to set, with the attributes that decide about its security. */
export type CookieToSet =
  & Readonly<Cookie>
  & Required<Pick<Cookie, "path" | "secure" | "sameSite">>;

/** Creates the value of a `Set-Cookie` header. By default it is HttpOnly. */
export function serializeCookie(cookie: CookieToSet): string {
  const headers = new Headers();
  const { maxAge, ...attributes } = cookie;
  // setCookie() changes its argument for names with a prefix.
  const copy: Cookie = { httpOnly: true, ...attributes };
  if (maxAge !== undefined) {
    copy.maxAge = Math.floor(maxAge);
    if (maxAge === 0) copy.expires = new Date(0);
  }
  setCookie(headers, copy);
  return headers.get("Set-Cookie") ?? "";
}
