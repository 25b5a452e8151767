import { reportDenied } from "../../router/internal.ts";
import { bodyLimit } from "../../router/middleware/mod.ts";
import {
  createRouter,
  type RequestContext,
  type Router,
} from "../../router/mod.ts";
import { Forwarder } from "./_forwarder.ts";
import type { ForwardMethod, ForwardOptions } from "./forward_options.ts";

/**
 * Creates a router that forwards requests of your pages to an API, with the
 * access token of the user. Mount it: `router.mount("/api", forwardTo(…))`.
 *
 * Only the listed paths and methods are forwarded, and only requests of scripts
 * on your own origin: those with `Sec-Fetch-Site: same-origin`, or from
 * browsers without this header, those with an `X-Requested-With` header. All
 * others get a 403, including links, images and WebSockets.
 *
 * The API gets no cookie, and of the request headers only those that are known to
 * be harmless. The browser gets no cookie and no policy of the API, and never the
 * token. If the API answers 401, the token is refreshed once, and the request is
 * sent again if its body is at most 64 KiB. Redirects are not followed: they
 * become a 502, because their location is not one of your application.
 *
 * Trust: the API decides what its users may do. It must not answer with data that
 * your pages must not see, and your pages must not run the text that it returns.
 *
 * @example An API below `/api`
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   forwardTo,
 *   type TokenSource,
 * } from "@gatehouse/web/auth/provider-tokens";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * // Usually the result of `keepTokens`.
 * const tokens: TokenSource = {
 *   get: () => Promise.resolve({ ok: true, accessToken: "the-token-of-ada" }),
 * };
 * const router = createRouter();
 * router.mount("/api", forwardTo("https://api.example/v1", {
 *   tokens,
 *   paths: { "/notes": ["GET", "POST"], "/notes/:id": ["GET", "DELETE"] },
 *   fetch: (url) => Promise.resolve(new Response(url)),
 * }));
 *
 * const headers = { "Sec-Fetch-Site": "same-origin" };
 * const url = "https://app.example/api/notes/7";
 * const response = await router.fetch(url, { headers });
 * assertEquals(await response.text(), "https://api.example/v1/notes/7");
 * ```
 *
 * @param target The URL of the API: https, or http on localhost. Trust: it must be
 * a constant.
 * @param options The tokens, the paths and the limits.
 * @returns A router to mount. The session middleware must run before it.
 * @throws {TypeError} If the target, a path, a method or a header is invalid.
 * @throws {RangeError} If a limit is not a positive number.
 * @see {@link https://www.rfc-editor.org/rfc/rfc10017#section-6.1 | RFC 10017, backend for frontend}
 */
export function forwardTo(target: string, options: ForwardOptions): Router {
  const forwarder = new Forwarder(target, options);
  const { maxRequestBytes: maxBytes } = options;
  const router = createRouter({
    middleware: [requireOwnScript, bodyLimit({ maxBytes })],
  });
  const entries = Object.entries(options.paths);
  if (entries.length === 0) {
    throw new TypeError(`Cannot forward to "${target}": it needs paths`);
  }
  for (const [path, methods] of entries) {
    checkPath(path, methods);
    router.route(methods, path, (context) => forwarder.forward(context));
  }
  return router;
}

/** The methods that can be forwarded. */
const METHODS: readonly ForwardMethod[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "QUERY",
];

function checkPath(path: string, methods: readonly ForwardMethod[]): void {
  if (!path.startsWith("/")) {
    throw new TypeError(
      `Cannot forward "${path}": it is not a path such as "/notes/*"`,
    );
  }
  const unknown = methods.find((method) => !METHODS.includes(method));
  if (unknown === undefined) return;
  throw new TypeError(
    `Cannot forward "${path}": it can't have the method "${unknown}"`,
  );
}

/** Refuses requests of other sites, and those that are not from a script. */
function requireOwnScript(
  context: RequestContext,
  next: () => Promise<Response>,
): Response | Promise<Response> {
  const { headers } = context.request;
  const status = isOwnScript(headers)
    // A WebSocket would bypass all limits.
    ? /\bwebsocket\b/i.test(headers.get("Upgrade") ?? "") ? 501 : 200
    : 403;
  if (status === 200) return next();
  if (status === 403) reportDenied(context, "cross-origin");
  const noStore = { "Cache-Control": "no-store" };
  return context.createErrorResponse({ status }, noStore);
}

/**
 * Returns `true` if a script of the application's origin sent a request. Other
 * origins can't set either header: the first is the browser's, and for the second
 * the browser asks the server first (RFC 10017, section 6.1).
 */
function isOwnScript(headers: Headers): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site === null) return headers.has("X-Requested-With");
  const kind = headers.get("Sec-Fetch-Dest") ?? "empty";
  return site === "same-origin" && /^(?:empty|websocket)$/.test(kind);
}
