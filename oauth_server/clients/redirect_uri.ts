/** The longest redirect URI, in characters. */
const MAX_LENGTH = 2_000;

/** The characters of a URI without a fragment (RFC 3986, section 2). */
const URI = /^[\w\-.~:/?[\]@!$&'()*+,;=%]+$/;

/**
 * A URI on the loopback interface. The first group is its origin without the port,
 * and the second one the rest.
 */
const LOOPBACK =
  /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::[1-9]\d{0,4})?([/?].*)?$/;

/** A scheme of a native application, with a dot (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:\/(?!\/?$)/;

/** The schemes that the redirect URIs of a client can have. */
export interface RedirectRules {
  /**
   * `true` if it can have a scheme of a native application. Only the operating
   * system decides which application receives these redirects, so strangers must
   * not choose them.
   *
   * @default {false}
   */
  readonly privateSchemes?: boolean;
}

/**
 * Returns `true` if a client can have a redirect URI: one with https, on the
 * loopback interface, or with the scheme of a native application. None can have a
 * user or a fragment.
 */
export function isRedirectURI(
  uri: unknown,
  { privateSchemes = false }: RedirectRules = {},
): uri is string {
  if (typeof uri !== "string" || uri.length > MAX_LENGTH || !URI.test(uri)) {
    return false;
  }
  const url = URL.parse(uri);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (uri.startsWith("https://")) return isPlainHost(uri, url);
  return LOOPBACK.test(uri) || privateSchemes && PRIVATE_SCHEME.test(uri);
}

/**
 * Returns `true` if the text of a URI names the host that a browser sees. Browsers
 * decode percents and hosts in numbers, and leave out the default port.
 */
function isPlainHost(uri: string, { host }: URL): boolean {
  return uri.slice("https://".length).split(/[/?]/, 1)[0] === host;
}

/**
 * Returns `true` if a redirect URI of a request belongs to a client. The strings
 * must be equal (OAuth 2.1, section 4.1.1). Only the port of a loopback URI may
 * differ: native applications choose it when they start (RFC 8252, section 7.3).
 * That includes `localhost`, because the document of Claude Code has
 * `http://localhost/callback`.
 */
export function hasRedirectURI(
  redirectUris: readonly string[],
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true;
  const loopback = withoutPort(uri);
  return loopback !== null && isRedirectURI(uri) &&
    redirectUris.some((one) => withoutPort(one) === loopback);
}

/** Returns a loopback URI without its port, or `null` for any other URI. */
function withoutPort(uri: string): string | null {
  const [, origin, rest = ""] = LOOPBACK.exec(uri) ?? [];
  return origin === undefined ? null : origin + rest;
}

/** Returns `true` for a redirect to a program on the user's own device. */
export function isLoopbackRedirect(uri: string): boolean {
  return LOOPBACK.test(uri);
}
