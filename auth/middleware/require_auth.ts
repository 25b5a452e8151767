import { describeMiddleware } from "../../router/internal.ts";
import type {
  ContextEntry,
  Middleware,
  NextFunction,
  Present,
  RequestContext,
} from "../../router/mod.ts";
import { Auth, type AuthKey } from "../login/user_keys.ts";
import {
  callbackResponse,
  checkCallback,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";

/** Options for {@linkcode requireAuth}. */
export interface RequireAuthOptions {
  /**
   * Creates the response to a request without a user.
   *
   * @param request The request.
   * @returns The response.
   * @default {a 401 with the challenges of the schemes}
   */
  readonly onUnauthenticated?: (
    request: Request,
  ) => Response | Promise<Response>;
}

/**
 * Creates a middleware that rejects requests without a user.
 *
 * Put it on a route or a controller, after the `auth` middleware. If `auth` did
 * not run, there is no user, so the request is rejected.
 *
 * @example Sending visitors to the login page
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { redirectToLogin, requireAuth } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const requireLogin = requireAuth({
 *   onUnauthenticated: redirectToLogin("/login"),
 * });
 * const router = createRouter();
 * router.get("/admin", { middleware: [requireLogin] }, () => new Response());
 *
 * const response = await router.fetch("https://example.com/admin");
 * assertEquals(response.status, 302);
 * assertEquals(response.headers.get("Location"), "/login?returnTo=%2Fadmin");
 * ```
 *
 * @param options The response to a request without a user.
 * @returns The middleware.
 * @throws {TypeError} If `onUnauthenticated` is not a function.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2 | RFC 9110, 401 Unauthorized}
 */
export function requireAuth(
  options: RequireAuthOptions = {},
): Middleware<readonly [ContextEntry<AuthKey, Present>]> {
  const { onUnauthenticated } = options;
  checkCallback("onUnauthenticated", onUnauthenticated);
  return describeMiddleware((context: RequestContext, next: NextFunction) => {
    if (context.get(Auth) !== null) return next();
    reportUnauthenticated(context);
    return onUnauthenticated === undefined
      ? unauthorized(context)
      : callbackResponse(onUnauthenticated, context);
  }, {
    requires: [[]],
    responses: onUnauthenticated === undefined ? { 401: "" } : {},
  });
}
