import { describeMiddleware, reportDenied } from "../../router/internal.ts";
import type {
  ContextEntry,
  Middleware,
  PresentAs,
  RequestContext,
} from "../../router/mod.ts";
import {
  Auth,
  type AuthenticatedUser,
  type AuthKey,
} from "../login/user_keys.ts";
import {
  forbidden,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";

/**
 * Decides about a request of a user.
 *
 * @typeParam User The user type of the application.
 * @param user The user.
 * @param context The context of the request.
 * @returns `true` to let the request through, `false` for a 403, or another
 * response.
 */
export type UserCheck<User extends AuthenticatedUser> = (
  user: User,
  context: RequestContext,
) => boolean | Response | Promise<boolean | Response>;

// `AuthMiddleware` explains the condition.
/** The middleware of {@linkcode requireUser}, which guarantees a user. */
export type UserGuard<User extends AuthenticatedUser> = [User] extends [unknown]
  ? Middleware<readonly [ContextEntry<AuthKey, PresentAs<User>>]>
  : never;

/**
 * Creates a guard with a check of the application's user.
 *
 * The type of the parameter says which user the guard needs. If the schemes of
 * `auth` have other users, `context.get(Auth)` has the type `never` in handlers
 * after the guard, so they do not compile. A request without a user gets a 401.
 *
 * @example Users with a paid plan
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Auth, requireUser } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * interface User {
 *   readonly id: number;
 *   readonly plan: "free" | "paid";
 * }
 * const requirePaidPlan = requireUser((user: User) => user.plan === "paid");
 * const context = new RequestContext(new Request("https://example.com/export"));
 * const user: User = { id: 1, plan: "free" };
 * context.set(Auth, user);
 *
 * const response = await requirePaidPlan(context, () => Promise.reject());
 * assertEquals(response?.status, 403);
 * ```
 *
 * @typeParam User The user type of the application.
 * @param check Decides about a request.
 * @returns The guard.
 * @throws {TypeError} If the check is not a function.
 */
export function requireUser<User extends AuthenticatedUser>(
  check: UserCheck<User>,
): UserGuard<User> {
  if (typeof check !== "function") {
    throw new TypeError("Cannot create the guard: its check is not a function");
  }
  const guard: Middleware = async (context, next) => {
    const user = context.get(Auth);
    if (user === null) {
      reportUnauthenticated(context);
      return unauthorized(context);
    }
    // The types of the handlers compare the users.
    const decision = await check(user as User, context);
    if (decision === true) return next();
    reportDenied(context, "forbidden", user.id);
    return decision instanceof Response ? decision : forbidden(context);
  };
  const responses = { 401: "", 403: "" };
  describeMiddleware(guard, { requires: [[]], responses });
  return guard as UserGuard<User>;
}
