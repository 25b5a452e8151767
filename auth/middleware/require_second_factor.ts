import { describeMiddleware, reportDenied } from "../../router/internal.ts";
import type { Middleware } from "../../router/mod.ts";
import { Auth, type AuthenticatedUser } from "../login/user_keys.ts";
import { State } from "./_auth_state.ts";
import {
  callbackResponse,
  checkCallback,
  loginTooOld,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";
import type { UserGuard } from "./require_user.ts";

/**
 * Options for {@linkcode requireSecondFactor}.
 *
 * @typeParam User The user type of the application.
 */
export interface RequireSecondFactorOptions<
  User extends AuthenticatedUser = AuthenticatedUser,
> {
  /**
   * Returns `true` if this user needs a second factor, for example because of
   * their role.
   *
   * @param user The user of the request.
   * @returns `true` if a login with one factor is not enough.
   * @default {() => true}
   */
  readonly required?: (user: User) => boolean;

  /**
   * Creates the response for a login with one factor, for example a redirect to
   * the page that sets up a second one.
   *
   * @param request The request.
   * @returns The response.
   * @default {a 401 with the challenges of the schemes}
   */
  readonly onMissing?: (request: Request) => Response | Promise<Response>;
}

/**
 * Creates a middleware that requires a login with two factors: one whose methods
 * include `mfa`.
 *
 * Users with an API key or an opaque token have no login, so they are rejected
 * if `required` returns `true` for them.
 *
 * @example Two factors for administrators
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   redirectToLogin,
 *   requireSecondFactor,
 * } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const requireTwoFactors = requireSecondFactor({
 *   required: (user) => user.role === "admin",
 *   onMissing: redirectToLogin("/security"),
 * });
 * const context = new RequestContext(new Request("https://example.com/admin"));
 * context.set(Auth, { id: 1, role: "admin" });
 *
 * const response = await requireTwoFactors(context, () => Promise.reject());
 * assertEquals(
 *   response?.headers.get("Location"),
 *   "/security?returnTo=%2Fadmin",
 * );
 * ```
 *
 * @typeParam User The user type of the application, as `required` needs it.
 * @param options The users who need a second factor, and the response.
 * @returns The middleware.
 * @throws {TypeError} If an option is not a function.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8176#section-2 | RFC 8176, mfa}
 */
export function requireSecondFactor<
  User extends AuthenticatedUser = AuthenticatedUser,
>(
  options: RequireSecondFactorOptions<User> = {},
): UserGuard<User> {
  const { required = () => true, onMissing } = options;
  checkCallback("required", required);
  checkCallback("onMissing", onMissing);
  const middleware: Middleware = (context, next) => {
    const user = context.get(Auth);
    if (user === null) {
      reportUnauthenticated(context);
      return unauthorized(context);
    }
    const { methods = {} } = context.get(State);
    // The types of the handlers compare the users.
    if (!required(user as User) || Object.hasOwn(methods, "mfa")) return next();
    reportDenied(context, "second-factor", user.id);
    return onMissing === undefined
      ? loginTooOld(context)
      : callbackResponse(onMissing, context);
  };
  describeMiddleware(middleware, { requires: [[]], responses: { 401: "" } });
  return middleware as UserGuard<User>;
}
