import {
  FORWARDING_HEADERS,
  isLoopback,
  isToken,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { CookieChange } from "../drivers/driver.ts";
import { serializeCookie } from "./header.ts";

/** The cookie that carries a session's token. */
export interface SessionCookieOptions {
  /**
   * The name without the prefix `__Host-` or `__Secure-`, which the library adds.
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

/** Chooses the name and the attributes of a cookie. */
export class CookiePolicy {
  readonly #options: SessionCookieOptions;
  readonly #name: string;
  readonly #secureName: string;
  readonly #secureOnly: boolean;
  readonly #origin: string | undefined;

  /** @throws {TypeError} If an option cannot be part of a cookie. */
  constructor(options: SessionCookieOptions, origin: string | undefined) {
    const {
      name = "session",
      domain,
      path = "/",
      sameSite = "Lax",
      maxAge = 1,
    } = options;
    const problem = !isToken(name) || name.length > MAX_NAME ||
        /^__(Host|Secure)-/i.test(name)
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
    this.#name = name;
    const hostOnly = domain === undefined && path === "/";
    this.#secureName = `${hostOnly ? "__Host-" : "__Secure-"}${name}`;
    this.#secureOnly = sameSite === "None" ||
      options.partitioned === true ||
      origin !== undefined && protocolOf(origin) === "https:";
  }

  /**
   * Creates the policy of a cookie with the same security attributes that only
   * this host gets, even if this cookie has a domain.
   */
  forHost(name: string): CookiePolicy {
    const { partitioned, sameSite } = this.#options;
    const options = {
      name,
      ...partitioned !== undefined && { partitioned },
      ...sameSite !== undefined && { sameSite },
    };
    return new CookiePolicy(options, this.#origin);
  }

  /** `true` if browsers send the cookie only from pages of the same site. */
  get isStrict(): boolean {
    return this.#options.sameSite === "Strict";
  }

  /** Returns the cookie's name. The library reads no other name. */
  name(isSecure: boolean): string {
    return isSecure ? this.#secureName : this.#name;
  }

  /**
   * Returns `true` if the cookie gets its prefix and `Secure`. Only local
   * development works without them: HTTP to a loopback name, from a loopback
   * address, and without the headers of a proxy, which might serve HTTPS.
   */
  isSecure(context: RequestContext): boolean {
    const { request, remoteAddress } = context;
    return this.#secureOnly || !request.url.startsWith("http://") ||
      remoteAddress === undefined || !isLoopback(remoteAddress) ||
      !isLocal(context.url.hostname) ||
      FORWARDING_HEADERS.some((name) => request.headers.has(name));
  }

  /** Creates the `Set-Cookie` header that sets or removes the cookie. */
  setCookie(change: CookieChange, isSecure: boolean): string {
    const { name: _name, path = "/", sameSite = "Lax", ...rest } =
      this.#options;
    const { suffix, value, maxAge = rest.maxAge } = change;
    return serializeCookie({
      ...rest,
      name: this.name(isSecure) + suffix,
      value: value ?? "",
      path,
      sameSite,
      secure: isSecure,
      maxAge: value === null ? 0 : maxAge,
    });
  }
}

function protocolOf(origin: string): string {
  const url = URL.parse(origin);
  if (url !== null) return url.protocol;
  throw new TypeError(
    `Cannot create session cookie: origin "${origin}" is not a URL`,
  );
}

/** Browsers resolve every name below `localhost` to the machine itself. */
function isLocal(hostname: string): boolean {
  return isLoopback(hostname) || hostname.endsWith(".localhost");
}
