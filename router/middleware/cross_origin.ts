/**
 * Turns away requests that another site makes a browser send: protection
 * against cross-site request forgery, login forgery included, without tokens.
 *
 * @module
 */
import { SAFE_METHODS } from "../method.ts";
import type { Middleware, RequestContext } from "../mod.ts";

/** Options for {@linkcode crossOriginProtection}. */
export interface CrossOriginProtectionOptions {
  /**
   * The application's own origin, such as `https://app.example`. Set it where a
   * proxy changes the Host header.
   *
   * @default {the request's Host}
   */
  readonly origin?: string | undefined;
  /**
   * Other origins that may send unsafe requests.
   *
   * @default {[]}
   */
  readonly trustedOrigins?: readonly string[];
  /**
   * Whether to turn away requests with neither `Sec-Fetch-Site` nor `Origin`,
   * which no current browser sends.
   *
   * @default {false}
   */
  readonly strict?: boolean;
  /**
   * Lets a request through that comes from elsewhere by design, such as a
   * provider's POST to a callback. It must be proven another way.
   *
   * @default {() => false}
   */
  readonly exempt?: (context: RequestContext) => boolean;
}

/**
 * Creates a middleware that answers 403 to cross-origin requests which could
 * change something: all but GET, HEAD and OPTIONS, and WebSocket upgrades.
 *
 * Trust: it relies on the `Sec-Fetch-Site` and `Origin` headers, which a page
 * cannot set. A request with neither comes from no browser, and passes unless
 * `strict`. Handlers of GET must not change anything. It reads the method on
 * the wire and `context.method`, so its place beside `methodOverride()` does
 * not matter.
 *
 * @example A form that another site sends
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { crossOriginProtection } from "@gatehouse/web/cross-origin-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const router = createRouter({ middleware: [crossOriginProtection()] });
 * router.post("/transfer", () => new Response("Done"));
 *
 * const response = await router.fetch("https://bank.example/transfer", {
 *   method: "POST",
 *   headers: { Origin: "https://evil.example" },
 * });
 * assertEquals(response.status, 403);
 * ```
 *
 * @param options The own and the trusted origins.
 * @returns The middleware.
 * @throws {TypeError} If an origin is not one, such as one with a path.
 * @see {@link https://www.w3.org/TR/fetch-metadata/ | Fetch Metadata Request Headers}
 */
export function crossOriginProtection(
  options: CrossOriginProtectionOptions = {},
): Middleware<readonly []> {
  const { origin, trustedOrigins = [], strict = false, exempt } = options;
  if (origin !== undefined) checkOrigin(origin);
  const trusted = new Set(trustedOrigins.map(checkOrigin));
  return (context, next) =>
    isUnsafe(context) && !isOwn(context.request, origin, trusted, strict) &&
      !exempt?.(context)
      ? new Response("Forbidden", { status: 403 })
      : next();
}

function isUnsafe({ request, method }: RequestContext): boolean {
  return !SAFE_METHODS.includes(request.method) ||
    !SAFE_METHODS.includes(method) ||
    /\bwebsocket\b/i.test(request.headers.get("Upgrade") ?? "");
}

function isOwn(
  { headers, url }: Request,
  own: string | undefined,
  trusted: ReadonlySet<string>,
  strict: boolean,
): boolean {
  const origin = headers.get("Origin");
  if (origin !== null && trusted.has(origin)) return true;
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin" || site === "none";
  if (origin === null) return !strict;
  if (own !== undefined) return origin === own;
  const host = headers.get("Host") ?? new URL(url).host;
  return URL.parse(origin)?.host === host.toLowerCase();
}

function checkOrigin(origin: string): string {
  if (URL.parse(origin)?.origin !== origin) {
    throw new TypeError(
      `Cannot trust origin "${origin}": it is not of the form "https://host"`,
    );
  }
  return origin;
}
