import { isLoopback } from "../../router/internal.ts";

/** The URL that requests are forwarded to. */
export class ForwardTarget {
  readonly #base: URL;
  /** The path without a slash at its end. */
  readonly #path: string;

  /**
   * @throws {TypeError} If it is not a canonical https URL, or an http URL on
   * localhost, or if it has credentials, a query or a fragment.
   */
  constructor(target: string) {
    const url = URL.parse(target);
    const isCanonical = url !== null &&
      [url.href, url.href.replace(/\/$/, "")].includes(target);
    const isSecure = url?.protocol === "https:" ||
      url?.protocol === "http:" && isLoopback(url.hostname);
    if (!isCanonical || !isSecure || /[@?#]/.test(target)) {
      throw new TypeError(
        `Cannot forward to "${target}": it is not a canonical https URL such as "https://api.example/v1"`,
      );
    }
    this.#base = url;
    this.#path = url.pathname.replace(/\/$/, "");
  }

  /** Its origin, for errors. */
  get origin(): string {
    return this.#base.origin;
  }

  /**
   * Returns the URL for a request below the mount, or `null` if the API could read
   * its path as another one.
   */
  resolve({ pathname, search }: URL): string | null {
    if (!isUnambiguous(pathname)) return null;
    const url = new URL(this.#base);
    // Setters never change the host, unlike the resolution of a reference.
    url.pathname = this.#path + pathname;
    url.search = search;
    // The parameter would be a client's own access token (RFC 6750, section
    // 2.3).
    if (url.searchParams.has("access_token")) return null;
    return url.pathname === this.#path + pathname ? url.href : null;
  }
}

/**
 * Returns `true` if servers, proxies and frameworks agree on the segments of a
 * canonical path. They differ in when they decode, merge slashes and remove
 * parameters (`/notes/..;/admin`).
 */
function isUnambiguous(pathname: string): boolean {
  const segments = pathname.slice(1).split("/");
  const last = segments.pop()!;
  return segments.every(isPlainSegment) &&
    (last === "" || isPlainSegment(last));
}

function isPlainSegment(segment: string): boolean {
  if (ESCAPED_UNRESERVED.test(segment)) return false;
  try {
    const text = decodeURIComponent(segment);
    // Some servers fold characters such as "／" only after their checks.
    return !AMBIGUOUS.test(text) && !AMBIGUOUS.test(text.normalize("NFKC"));
  } catch {
    // The segment is not UTF-8: it may contain the overlong slash %C0%AF, for
    // example.
    return false;
  }
}

/** Letters, digits and `-._~` need no escape (RFC 3986, section 2.3). */
const ESCAPED_UNRESERVED =
  /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

/**
 * An empty segment, a dot segment, even before an escaped `?` or `#`, one with
 * a separator, a control character or a parameter, or one that is escaped
 * twice.
 */
const AMBIGUOUS = /^[.\s\p{C}]*$|^\.+[?#]|[/\\;\p{Cc}]|%[\da-f]{2}/iu;
