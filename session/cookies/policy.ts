import type { RequestContext } from "../../router/mod.ts";
import type { CookieChange } from "../drivers/driver.ts";
import { serializeCookie } from "./header.ts";

/** The cookie that carries a session's token. */
export interface SessionCookieOptions {
  /**
   * The name, without `__Host-` or `__Secure-`, which is put in front; at most
   * 256 characters.
   *
   * @default {"session"}
   */
  readonly name?: string;
  /**
   * The domain whose subdomains share the session. It turns the prefix into
   * `__Secure-`.
   *
   * Trust: every host below that domain can then read the cookie and plant
   * another one.
   *
   * @default {undefined}
   */
  readonly domain?: string;
  /**
   * The path below which the browser sends the cookie. Any but `/` turns the
   * prefix into `__Secure-`.
   *
   * @default {"/"}
   */
  readonly path?: string;
  /**
   * Which cross-site requests carry the cookie.
   *
   * @default {"Lax"}
   */
  readonly sameSite?: "Strict" | "Lax" | "None";
  /**
   * Seconds for which the browser keeps the cookie, from the beginning of the
   * session or the login; without it, until the browser closes. The server ends
   * sessions by its own timeouts all the same.
   *
   * @default {undefined}
   */
  readonly maxAge?: number;
  /**
   * Whether the cookie is kept apart for each top-level site (CHIPS), for pages
   * that other sites embed.
   *
   * @default {false}
   */
  readonly partitioned?: boolean;
}

/**
 * A cookie's name (RFC 6265, 4.1.1: token), and of a length that leaves room for
 * the value: browsers take 4,096 bytes for both.
 */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;

/** Labels with dots between them (RFC 1123, 2.1), and one in front at most. */
const DOMAIN = /^(?:(?:^|\.)(?!-)[a-z\d-]{1,63}(?<!-))+$/i;

/** What a proxy in front of the server would have added. */
const FORWARDING = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Real-IP",
  "Via",
  "CF-Connecting-IP",
];

/** Names and builds the cookie for one request. */
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
    const problem = !NAME.test(name) || /^__(Host|Secure)-/i.test(name)
      ? `name "${name}" is not a plain cookie name`
      : domain !== undefined && !DOMAIN.test(domain)
      ? `domain "${domain}" is not a host name`
      : !/^\/[\x20-\x3a\x3c-\x7e]*$/.test(path)
      ? `path "${path}" does not begin with /`
      : !(maxAge >= 1 && maxAge < Infinity)
      ? `maxAge "${maxAge}" is not a second or more`
      : !/^(?:Strict|Lax|None)$/.test(sameSite)
      ? `sameSite "${sameSite}" is not known`
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
   * Creates the policy of another cookie that is as secure as this one and that
   * only this host gets, whatever the domain of this one.
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

  /** The cookie's name. No other one is ever read. */
  name(isSecure: boolean): string {
    return isSecure ? this.#secureName : this.#name;
  }

  /**
   * Whether the cookie has its prefix and `Secure`. Only for a developer's own
   * browser they are left out: plain http, to a loopback name, from a loopback
   * peer, with no sign of a proxy, which might serve https.
   */
  isSecure(context: RequestContext): boolean {
    const { request, remoteAddress } = context;
    return this.#secureOnly || !request.url.startsWith("http://") ||
      remoteAddress === undefined || !isLoopbackAddress(remoteAddress) ||
      !isLoopbackName(context.url.hostname) ||
      FORWARDING.some((name) => request.headers.has(name));
  }

  /** The `Set-Cookie` header that hands out a value, or expires the cookie. */
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

function isLoopbackAddress(address: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(address) || address === "::1";
}

function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") ||
    hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
