import type { ContextEntry, Middleware, Present } from "../../router/mod.ts";
import type { AuthKey } from "../login/user_keys.ts";
import { checkNames, requireAllowed } from "./_allowed_user.ts";

/**
 * Creates a middleware that requires one of the given roles.
 *
 * A request without a user gets a 401, a user with another role a 403.
 *
 * Trust: the role is that of the user, even if a token has only a few scopes.
 * For tokens, add `requireScope`, or return users with a lesser role from
 * `verify`.
 *
 * @example Editors and administrators
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Auth, requireRole } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const requireEditor = requireRole("editor", "admin");
 * const context = new RequestContext(new Request("https://example.com/edit"));
 * context.set(Auth, { id: 1, role: "user" });
 *
 * const response = await requireEditor(context, () => Promise.reject());
 * assertEquals(response?.status, 403);
 * ```
 *
 * @param roles The roles that may pass.
 * @returns The middleware.
 * @throws {TypeError} If no role is given, or one is not a string.
 */
export function requireRole(
  ...roles: readonly [string, ...string[]]
): Middleware<readonly [ContextEntry<AuthKey, Present>]> {
  checkNames("role", roles);
  const allowed = new Set<unknown>(roles);
  return requireAllowed(
    ({ role }) => allowed.has(role),
    roles.map((role) => [role]),
  );
}

// `AuthMiddleware` explains the condition.
/** The middleware of {@linkcode requirePermission}, which guarantees a user. */
export type PermissionMiddleware<RolePermissions> = RolePermissions extends
  unknown ? Middleware<readonly [ContextEntry<AuthKey, Present>]> : never;

/**
 * Creates a middleware that requires a role with all of the given permissions.
 *
 * A request without a user gets a 401, a user without the permissions a 403. A
 * role that is not listed has no permissions.
 *
 * Trust: the role is that of the user, even if a token has only a few scopes.
 * For tokens, add `requireScope`, or return users with a lesser role from
 * `verify`.
 *
 * @example A permission to delete
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Auth, requirePermission } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const permissions = {
 *   editor: ["posts:write"],
 *   admin: ["posts:write", "posts:delete"],
 * } as const;
 * const requireDelete = requirePermission(permissions, "posts:delete");
 * const context = new RequestContext(new Request("https://example.com/posts/1"));
 * context.set(Auth, { id: 1, role: "editor" });
 *
 * const response = await requireDelete(context, () => Promise.reject());
 * assertEquals(response?.status, 403);
 * ```
 *
 * @typeParam RolePermissions The permissions of each role.
 * @param rolePermissions The permissions of each role.
 * @param names The required permissions.
 * @returns The middleware.
 * @throws {TypeError} If no permission is given, or one is not a string.
 */
export function requirePermission<
  const RolePermissions extends Readonly<Record<string, readonly string[]>>,
>(
  rolePermissions: RolePermissions,
  ...names: readonly [
    RolePermissions[keyof RolePermissions][number],
    ...RolePermissions[keyof RolePermissions][number][],
  ]
): PermissionMiddleware<RolePermissions> {
  checkNames("permission", names);
  // A plain object would not do, because the name of a role may be
  // "constructor".
  const granted = new Map<unknown, ReadonlySet<string>>(
    Object.entries(rolePermissions).map((
      [role, list],
    ) => [role, new Set(list)]),
  );
  const needed = new Set<string>(names);
  const middleware: Middleware = requireAllowed(
    ({ role }) => granted.get(role)?.isSupersetOf(needed) ?? false,
    [[...needed]],
  );
  return middleware as PermissionMiddleware<RolePermissions>;
}
