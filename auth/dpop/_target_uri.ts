/**
 * Returns the URI that a proof is for: without query and fragment, and
 * normalized (RFC 3986, sections 6.2.2 and 6.2.3), or `null` if it is not an
 * http or https URL. Userinfo is not part of a target.
 */
export function targetURI(url: string): string | null {
  const { origin, password, pathname, protocol, username } = URL.parse(url) ??
    {};
  const isWeb = protocol === "https:" || protocol === "http:";
  if (!isWeb || username || password) return null;
  return origin + pathname!.replace(/%[\da-f]{2}/gi, normalizeEscape);
}

/** Decodes unreserved characters, and writes others with upper-case digits. */
function normalizeEscape(escape: string): string {
  const character = String.fromCharCode(parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
}
