/**
 * Creates the Content-Security-Policy of the pages: no scripts, only our own
 * styles, no frames.
 *
 * @param formTargets More addresses that a form may lead to, also by redirects.
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
