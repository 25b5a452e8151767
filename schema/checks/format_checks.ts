import { type Check, makeCheck } from "./check.ts";
import { isEmail } from "./_email.ts";
import { isHostname, isIPv4, isIPv6 } from "./_host.ts";
import { isDate, isDateTime } from "./iso_date.ts";
import type { MessageOptions } from "../issue.ts";

/**
 * Checks that a string is an email address as HTML forms define it, with a dot in
 * the domain, no stray dots and at most 254 characters.
 *
 * Trust: a well-formed address does not prove that it belongs to the user. Send
 * a confirmation link.
 *
 * @example An address
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { email } from "@gatehouse/web/data-schema/checks";
 *
 * const Address = string().pipe(email());
 *
 * assertEquals(parseSafe(Address, "ada@example.com").success, true);
 * assertEquals(parseSafe(Address, "ada@localhost").success, false);
 * ```
 *
 * @param options The message.
 * @returns The check.
 * @see {@link https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address | HTML, valid e-mail address}
 */
export function email(options: MessageOptions = {}): Check<string> {
  const text = "Invalid email address";
  return makeCheck("email", {}, options.message, text, isEmail);
}

/** The maximum length. Longer URLs are rare in practice and slow to parse. */
const MAX_URL = 65_536;

/** The characters that `URL` silently removes. */
const DROPPED = /[\0-\x20\x7f]/;

/** Schemes that `URL` accepts with any number of slashes, even zero. */
const NO_HOST = /^(?:https?|wss?|ftp):(?!\/\/[^/\\])/i;

/**
 * Web addresses that `URL` certainly accepts. Most need no other test: 70 ns
 * instead of 190.
 */
const PLAIN_URL =
  /^https?:\/\/[a-z][a-z\d]*(?:\.[a-z][a-z\d]*)*(?:[/?#][!-~]*)?$/;

/** Options for {@linkcode url}. */
export interface UrlOptions extends MessageOptions {
  /**
   * The schemes that pass, without the colon.
   *
   * @default {["http", "https"]}
   */
  readonly schemes?: readonly string[] | undefined;
}

/**
 * Checks that a string is an absolute URL without spaces and control
 * characters, of at most 65,536 characters.
 *
 * By default only `http` and `https` pass, so `javascript:` does not. After
 * such a scheme the URL needs `//` and a host: `https:example.com` fails,
 * although `new URL()` accepts it.
 *
 * @example A homepage
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { url } from "@gatehouse/web/data-schema/checks";
 *
 * const Homepage = string().pipe(url());
 *
 * assertEquals(parseSafe(Homepage, "https://example.com/").success, true);
 * assertEquals(parseSafe(Homepage, "javascript:alert(1)").success, false);
 * ```
 *
 * @param options The schemes and the message.
 * @returns The check.
 * @see {@link https://url.spec.whatwg.org/ | URL}
 */
export function url(options: UrlOptions = {}): Check<string> {
  const { message, schemes = ["http", "https"] } = options;
  const test = (text: string) => {
    if (text.length > MAX_URL) return false;
    if (!options.schemes && PLAIN_URL.test(text)) return true;
    if (DROPPED.test(text)) return false;
    const scheme = text.slice(0, text.indexOf(":")).toLowerCase();
    return schemes.includes(scheme) && !NO_HOST.test(text) &&
      URL.canParse(text);
  };
  return makeCheck("url", { schemes }, message, "Invalid URL", test);
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Checks that a string is a UUID of any version, in either case.
 *
 * @example An identifier
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { uuid } from "@gatehouse/web/data-schema/checks";
 *
 * const Id = string().pipe(uuid());
 *
 * assertEquals(parseSafe(Id, crypto.randomUUID()).success, true);
 * ```
 *
 * @param options The message.
 * @returns The check.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9562#section-4 | RFC 9562, UUID Format}
 */
export function uuid(options: MessageOptions = {}): Check<string> {
  const test = (text: string) => UUID.test(text);
  return makeCheck("uuid", {}, options.message, "Invalid UUID", test);
}

/**
 * Checks that a string is a date such as `2026-11-20` that exists.
 *
 * @example A birthday
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { isoDate } from "@gatehouse/web/data-schema/checks";
 *
 * const Birthday = string().pipe(isoDate());
 *
 * assertEquals(parseSafe(Birthday, "1815-12-10").success, true);
 * assertEquals(parseSafe(Birthday, "2025-02-29").success, false);
 * ```
 *
 * @param options The message.
 * @returns The check.
 * @see {@link https://www.rfc-editor.org/rfc/rfc3339#section-5.6 | RFC 3339, full-date}
 */
export function isoDate(options: MessageOptions = {}): Check<string> {
  return makeCheck("iso_date", {}, options.message, "Invalid date", isDate);
}

/**
 * Checks that a string is a date and time with an offset, such as
 * `2026-11-20T17:55:48Z`.
 *
 * @example A point in time
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { isoDateTime } from "@gatehouse/web/data-schema/checks";
 *
 * const CreatedAt = string().pipe(isoDateTime());
 *
 * assertEquals(parseSafe(CreatedAt, "2026-11-20T17:55:48Z").success, true);
 * ```
 *
 * @param options The message.
 * @returns The check.
 * @see {@link https://www.rfc-editor.org/rfc/rfc3339#section-5.6 | RFC 3339, date-time}
 */
export function isoDateTime(options: MessageOptions = {}): Check<string> {
  const { message } = options;
  const text = "Invalid date and time";
  return makeCheck("iso_date_time", {}, message, text, isDateTime);
}

/** Options for {@linkcode ip}. */
export interface IpOptions extends MessageOptions {
  /**
   * The only version that passes.
   *
   * @default {both}
   */
  readonly version?: 4 | 6 | undefined;
}

/**
 * Checks that a string is an IP address: IPv4 without leading zeros, or IPv6 in
 * any notation, without a zone.
 *
 * @example An address of either version
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { ip } from "@gatehouse/web/data-schema/checks";
 *
 * const Address = string().pipe(ip());
 *
 * assertEquals(parseSafe(Address, "192.0.2.1").success, true);
 * assertEquals(parseSafe(Address, "2001:db8::1").success, true);
 * ```
 *
 * @param options The version and the message.
 * @returns The check.
 * @see {@link https://www.rfc-editor.org/rfc/rfc4291#section-2.2 | RFC 4291, Text Representation of Addresses}
 */
export function ip(options: IpOptions = {}): Check<string> {
  const { message, version } = options;
  const test = (text: string) =>
    version !== 6 && isIPv4(text) || version !== 4 && isIPv6(text);
  const params = version === undefined ? {} : { version };
  return makeCheck("ip", params, message, "Invalid IP address", test);
}

/**
 * Checks that a string is a host name of letters, digits and hyphens, of at most
 * 253 characters. A single label such as `localhost` passes.
 *
 * @example A host
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { hostname } from "@gatehouse/web/data-schema/checks";
 *
 * const Host = string().pipe(hostname());
 *
 * assertEquals(parseSafe(Host, "api.example.com").success, true);
 * assertEquals(parseSafe(Host, "-example.com").success, false);
 * ```
 *
 * @param options The message.
 * @returns The check.
 * @see {@link https://www.rfc-editor.org/rfc/rfc1123#section-2.1 | RFC 1123, Host Names and Numbers}
 */
export function hostname(options: MessageOptions = {}): Check<string> {
  const { message } = options;
  return makeCheck("hostname", {}, message, "Invalid host name", isHostname);
}
