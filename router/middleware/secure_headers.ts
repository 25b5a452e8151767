/**
 * A few response headers that make browsers careful.
 *
 * @module
 */
import { type Middleware, withHeaders } from "../mod.ts";

/** Options for {@linkcode secureHeaders}. `false` leaves a header out. */
export interface SecureHeadersOptions {
  /**
   * What pages may load, and who may frame them.
   *
   * @default {"default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"}
   */
  readonly contentSecurityPolicy?: string | false;
  /**
   * How much of a page's address other sites get to see.
   *
   * @default {"same-origin"}
   */
  readonly referrerPolicy?: string | false;
  /**
   * For how long browsers must use https, such as `max-age=31536000`. It is off
   * by default, because it cannot be taken back.
   *
   * @default {false}
   */
  readonly strictTransportSecurity?: string | false;
}

/**
 * Creates a middleware that adds security headers to every response which does
 * not set them itself: a Content-Security-Policy, `Referrer-Policy`, and
 * `X-Content-Type-Options: nosniff`.
 *
 * `no-referrer` would make browsers send `Origin: null` with the site's own
 * forms: leave that policy to single responses.
 *
 * @example With one directive changed
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { secureHeaders } from "@gatehouse/web/secure-headers-middleware";
 *
 * const router = createRouter({ middleware: [secureHeaders()] });
 * router.get("/", () => new Response("Hello"));
 *
 * const { headers } = await router.fetch("https://example.com/");
 * assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
 * assertEquals(headers.get("Referrer-Policy"), "same-origin");
 * ```
 *
 * @param options Other values for the headers.
 * @returns The middleware.
 * @throws {TypeError} If a value cannot be that of a header.
 * @see {@link https://www.w3.org/TR/CSP3/ | Content Security Policy Level 3}
 */
export function secureHeaders(
  options: SecureHeadersOptions = {},
): Middleware<readonly []> {
  const {
    contentSecurityPolicy =
      "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
    referrerPolicy = "same-origin",
    strictTransportSecurity = false,
  } = options;
  const added = new Headers({ "X-Content-Type-Options": "nosniff" });
  for (
    const [name, value] of [
      ["Content-Security-Policy", contentSecurityPolicy],
      ["Referrer-Policy", referrerPolicy],
      ["Strict-Transport-Security", strictTransportSecurity],
    ] as const
  ) if (value !== false) added.set(name, value);
  const entries = [...added];
  return async (_context, next) => {
    const response = await next();
    if (response.status === 101) return response;
    return withHeaders(response, (headers) => {
      for (const [name, value] of entries) {
        if (!headers.has(name)) headers.set(name, value);
      }
    });
  };
}
