import { SAFE_METHODS } from "../method.ts";
import { describeMiddleware } from "./describe_middleware.ts";
import type { Middleware, RequestContext } from "../mod.ts";
import { reportDenied } from "../operation/security_event.ts";
import {
  checkOrigin,
  createOriginCheck,
  type TrustedOrigins,
} from "./_trusted_origins.ts";

/** Options for {@linkcode crossOriginProtection}. */
export interface CrossOriginProtectionOptions {
  /**
   * The origin of your application, such as `https://app.example`. Set it if a
   * proxy changes the Host header.
   *
   * @default {the request's Host}
   */
  readonly origin?: string | undefined;
  /**
   * Other origins that may send unsafe requests, the same as for `cors()`.
   *
   * @default {[]}
   */
  readonly trustedOrigins?: TrustedOrigins;
  /**
   * `true` to reject requests with neither `Sec-Fetch-Site` nor `Origin`, which no
   * current browser sends.
   *
   * @default {false}
   */
  readonly strict?: boolean;
  /**
   * Returns `true` to let a cross-origin request through, such as a provider's
   * POST to a callback. Such a request needs another proof.
   *
   * @default {() => false}
   */
  readonly exempt?: (context: RequestContext) => boolean;
}

/**
 * Creates a middleware that responds with 403 to unsafe cross-origin requests:
 * WebSocket upgrades, and all methods but GET, HEAD and OPTIONS.
 *
 * Trust: it relies on the `Sec-Fetch-Site` and `Origin` headers, which a page
 * cannot set. A request with neither does not come from a browser, and passes
 * unless `strict` is set. Handlers of GET must not change anything. It checks both
 * the request's method and `context.method`, so it may run before or after
 * `methodOverride()`.
 *
 * @example A form posted from another site
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { crossOriginProtection } from "@gatehouse/web/middleware";
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
 * @param options Your own and the trusted origins.
 * @returns The middleware.
 * @throws {TypeError} If an origin is invalid, such as one with a path.
 * @see {@link https://www.w3.org/TR/fetch-metadata/ | Fetch Metadata Request Headers}
 */
export function crossOriginProtection(
  options: CrossOriginProtectionOptions = {},
): Middleware<readonly []> {
  const { origin, trustedOrigins = [], strict = false, exempt } = options;
  if (origin !== undefined) checkOrigin(origin);
  const isTrusted = createOriginCheck(trustedOrigins);
  const middleware: Middleware<readonly []> = (context, next) => {
    const isAllowed = !isUnsafe(context) ||
      isOwn(context.request, origin, strict) ||
      isTrusted(context.request.headers.get("Origin"), context) ||
      exempt?.(context);
    if (isAllowed) return next();
    reportDenied(context, "cross-origin");
    return context.createErrorResponse({ status: 403 });
  };
  return describeMiddleware(middleware, {
    responses: { 403: "" },
    unsafeOnly: true,
  });
}

function isUnsafe({ request, method }: RequestContext): boolean {
  return !SAFE_METHODS.includes(request.method) ||
    !SAFE_METHODS.includes(method) ||
    /\bwebsocket\b/i.test(request.headers.get("Upgrade") ?? "");
}

function isOwn(
  { headers, url }: Request,
  own: string | undefined,
  strict: boolean,
): boolean {
  const origin = headers.get("Origin");
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin" || site === "none";
  if (origin === null) return !strict;
  if (own !== undefined) return origin === own;
  const host = headers.get("Host") ?? new URL(url).host;
  return URL.parse(origin)?.host === host.toLowerCase();
}
