import type { Guard } from "./guard.ts";
import { requireRole } from "./require_role.ts";
import { checkScope, requireScope } from "./require_scope.ts";

/** The roles and scopes of an application. */
export interface GuardNames<Role extends string, Scope extends string> {
  /**
   * All roles.
   *
   * @default {any string}
   */
  readonly roles?: readonly Role[];
  /**
   * All scopes.
   *
   * @default {any string}
   */
  readonly scopes?: readonly Scope[];
}

/** Guards that accept only the roles and scopes of the application. */
export interface Guards<Role extends string, Scope extends string> {
  /**
   * Requires one of the given roles, see `requireRole`.
   *
   * @param roles The roles that may pass.
   */
  readonly requireRole: (...roles: readonly [Role, ...Role[]]) => Guard;
  /**
   * Requires all of the given scopes, see `requireScope`.
   *
   * @param scopes The required scopes.
   */
  readonly requireScope: (...scopes: readonly [Scope, ...Scope[]]) => Guard;
}

/**
 * Creates guards for the roles and scopes of an application. A misspelled name
 * does not compile, and throws when the guard is created.
 *
 * @example Guards with known names
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { createGuards } from "@gatehouse/web/auth-middleware";
 *
 * const { requireRole, requireScope } = createGuards({
 *   roles: ["user", "admin"],
 *   scopes: ["notes:read", "notes:write"],
 * });
 * const guards = [requireRole("admin"), requireScope("notes:write")];
 *
 * // @ts-expect-error The name is misspelled.
 * assertThrows(() => requireRole("admn"), TypeError, "it is not listed");
 * ```
 *
 * @typeParam Role The roles.
 * @typeParam Scope The scopes.
 * @param names The roles and scopes.
 * @returns The guards.
 * @throws {TypeError} If a scope contains a character that scopes cannot contain.
 */
export function createGuards<
  const Role extends string = string,
  const Scope extends string = string,
>(names: GuardNames<Role, Scope>): Guards<Role, Scope> {
  const { roles, scopes } = names;
  for (const scope of scopes ?? []) checkScope(scope);
  return {
    requireRole(...given) {
      checkListed("role", given, roles);
      return requireRole(...given);
    },
    requireScope(...given) {
      checkListed("scope", given, scopes);
      return requireScope(...given);
    },
  };
}

/**
 * Checks that names are listed, for callers without types.
 *
 * @throws {TypeError} If one is not.
 */
function checkListed(
  kind: string,
  names: readonly string[],
  listed: readonly string[] | undefined,
): void {
  const unknown = names.find((name) => listed?.includes(name) === false);
  if (unknown === undefined) return;
  throw new TypeError(
    `Cannot require the ${kind} "${unknown}": it is not listed`,
  );
}
