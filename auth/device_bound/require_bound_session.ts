import { reportDenied } from "../../router/internal.ts";
import type { Middleware, RequestContext } from "../../router/mod.ts";
import { currentSession } from "../login/current_session.ts";
import { Binding, reload } from "./device_bound_sessions.ts";

/** Options for {@linkcode requireBoundSession}. */
export interface RequireBoundSessionOptions {
  /**
   * Creates the response if the session is not bound, for example a page that
   * names the browsers which can bind it.
   *
   * @param request The request.
   * @returns The response.
   * @default {a 403}
   */
  readonly onUnbound?: (request: Request) => Response | Promise<Response>;
}

/**
 * Creates a middleware that only accepts sessions which are bound to a device. It
 * needs `deviceBoundSessions`, and rejects all requests of browsers that cannot
 * bind a session.
 *
 * While the browser registers its key after a login, pages reload after a second.
 *
 * @example Administrators need a bound session
 * ```ts
 * import {
 *   deviceBoundSessions,
 *   requireBoundSession,
 * } from "@gatehouse/web/auth/device-bound";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({
 *   middleware: [session(), deviceBoundSessions()],
 * });
 * router.get("/admin", {
 *   middleware: [requireBoundSession()],
 *   handler: () => new Response("Welcome"),
 * });
 *
 * const response = await router.fetch("https://example.com/admin");
 * assertEquals(response.status, 403);
 * ```
 *
 * @param options The response if the session is not bound.
 * @returns The middleware.
 * @throws {TypeError} If `onUnbound` is not a function.
 */
export function requireBoundSession(
  { onUnbound }: RequireBoundSessionOptions = {},
): Middleware<readonly []> {
  if (onUnbound !== undefined && typeof onUnbound !== "function") {
    throw new TypeError(
      "Cannot create requireBoundSession: onUnbound is not a function",
    );
  }
  return (context, next) => {
    const state = context.get(Binding);
    if (state === "bound") return next();
    if (state === "waiting" && isNavigation(context)) return reload(1);
    const session = currentSession(context, "require a bound session");
    reportDenied(context, "unbound-session", session.userId);
    if (onUnbound !== undefined) return onUnbound(context.request);
    const headers = { "Cache-Control": "no-store" };
    return context.createErrorResponse({ status: 403 }, headers);
  };
}

function isNavigation({ request: { headers, method } }: RequestContext) {
  return method === "GET" && headers.get("Sec-Fetch-Mode") === "navigate";
}
