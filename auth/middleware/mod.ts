/**
 * Identifies the user of a request and protects routes: the `auth` middleware,
 * its schemes and its guards.
 *
 * @example A route that requires a user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   auth,
 *   createBearerTokenAuthScheme,
 *   requireAuth,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const tokens = createBearerTokenAuthScheme({
 *   name: "tokens",
 *   verify: (token) => token === "t0ken" ? { id: 1, name: "Ada" } : null,
 * });
 * const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
 * router.get(
 *   "/me",
 *   { middleware: [requireAuth()] },
 *   (context) => Response.json(context.get(Auth)),
 * );
 *
 * const response = await router.fetch("https://example.com/me");
 * assertEquals(response.status, 401);
 * assertEquals(
 *   response.headers.get("WWW-Authenticate"),
 *   'Bearer realm="tokens"',
 * );
 * ```
 *
 * @module
 */
export {
  type APIAuthSchemeOptions,
  createAPIAuthScheme,
} from "./api_scheme.ts";
export type { AuthMethod } from "../login/auth_method.ts";
export {
  actAs,
  type ActAsOptions,
  type ActingEntry,
  type ActingRules,
  stopActing,
} from "./act_as.ts";
export { auth, type AuthMiddleware, type AuthOptions } from "./auth.ts";
export {
  Actor,
  Auth,
  type AuthenticatedUser,
  type AuthKey,
} from "../login/user_keys.ts";
export {
  type BearerTokenAuthSchemeOptions,
  createBearerTokenAuthScheme,
} from "./bearer_token_scheme.ts";
export {
  type DeviceChange,
  deviceChanges,
  type DeviceChangesOptions,
} from "./device_changes.ts";
export { createGuards, type GuardNames, type Guards } from "./create_guards.ts";
export { grantedScopes } from "./granted_scopes.ts";
export { redirectToLogin } from "./redirect_to_login.ts";
export { requireAuth, type RequireAuthOptions } from "./require_auth.ts";
export {
  requireFreshAuth,
  type RequireFreshAuthOptions,
} from "./require_fresh_auth.ts";
export { requireOwnLogin } from "./require_own_login.ts";
export {
  type PermissionMiddleware,
  requirePermission,
  requireRole,
} from "./require_role.ts";
export { requireScope } from "./require_scope.ts";
export {
  requireSecondFactor,
  type RequireSecondFactorOptions,
} from "./require_second_factor.ts";
export type { Guard } from "./guard.ts";
export { requireUser, type UserCheck, type UserGuard } from "./require_user.ts";
export type {
  AuthOutcome,
  AuthRefusal,
  AuthScheme,
  ChallengeDetails,
  ChallengeReason,
  UserOf,
} from "./scheme.ts";
export {
  createSessionAuthScheme,
  type SessionAuthSchemeOptions,
} from "./session_scheme.ts";
