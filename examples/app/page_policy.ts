/** Options for {@linkcode pagePolicy}. */
export interface PagePolicyOptions {
  /**
   * More addresses that a form may lead to, also by redirects.
   *
   * @default {[]}
   */
  readonly formTargets?: readonly string[];
  /**
   * Allows scripts of this application.
   *
   * @default {false}
   */
  readonly scripts?: boolean;
}

/**
 * Creates the Content-Security-Policy of a page: no scripts, only our own styles,
 * no frames.
 *
 * @returns A value for `Content-Security-Policy`.
 */
export function pagePolicy(
  { formTargets = [], scripts = false }: PagePolicyOptions = {},
): string {
  return [
    "default-src 'none'",
    ...scripts ? ["script-src 'self'", "connect-src 'self'"] : [],
    "style-src 'self'",
    // The pictures of accounts come from identity providers.
    "img-src 'self' https:",
    ["form-action 'self'", ...formTargets].join(" "),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
