/** The longest path that is accepted, in characters. */
const longest = 2048;

/** An origin that does not exist (RFC 2606). */
const origin = "http://origin.invalid";

/**
 * Returns a path that is safe to redirect to, because it stays on your origin.
 *
 * Use it for every target that comes from a request, such as `returnTo`. The
 * result is the path as a browser reads it, with query and fragment.
 *
 * @example Safe and unsafe targets
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { safeRedirectPath } from "@gatehouse/web/fetch-router";
 *
 * assertEquals(safeRedirectPath("/account?tab=keys"), "/account?tab=keys");
 * assertEquals(safeRedirectPath("//evil.example"), "/");
 * assertEquals(safeRedirectPath("/.//evil.example"), "/");
 * assertEquals(safeRedirectPath(null, "/home"), "/home");
 * ```
 *
 * @param value The target.
 * @param fallback The path to return if the value is not safe.
 * @returns The path, or the fallback.
 * @see {@link https://cwe.mitre.org/data/definitions/601.html | CWE-601, open redirect}
 */
export function safeRedirectPath(value: unknown, fallback = "/"): string {
  if (typeof value !== "string" || value.length > longest) return fallback;
  // Browsers drop controls from URLs, so "/\t/evil.com" would become "//evil.com".
  if (!/^\/[ -~\x80-\uffff]*$/.test(value)) return fallback;
  const url = URL.parse(value, origin);
  if (url?.origin !== origin) return fallback;
  const path = url.pathname + url.search + url.hash;
  // The parser has removed dot segments: "/.//evil.com" is now "//evil.com".
  return /^\/[/\\]/.test(path) || path.length > longest ? fallback : path;
}
