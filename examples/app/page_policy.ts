/**
 * What the pages need, so that nothing else works in them: no script at all,
 * our own styles, no frame around them.
 *
 * @param formTargets Where else a form may lead, redirects included.
 * @returns A value for `Content-Security-Policy`.
 */
export function pagePolicy(...formTargets: string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    // The pictures of accounts come from identity providers.
    "img-src 'self' https:",
    ["form-action 'self'", ...formTargets].join(" "),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
