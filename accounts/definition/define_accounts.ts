import type { Names } from "./names.ts";
import { type AdminRoutes, createAdminRoutes } from "./admin_routes.ts";
import { type AccountRoutes, createRoutes } from "./routes.ts";

/**
 * The names of an application's accounts.
 *
 * @typeParam N The names.
 */
export interface Definition<N extends Names = Names> {
  /** The names. */
  readonly names: N;
  /** The routes of the account pages. */
  readonly routes: AccountRoutes;
  /** The routes of the pages for administrators. */
  readonly adminRoutes: AdminRoutes;
}

/**
 * Defines the names of an application's accounts: one source of the types of
 * handlers, pages and clients.
 *
 * @example A field and three roles
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { type Account, defineAccounts } from "@gatehouse/web/accounts/definition";
 * import { string } from "@gatehouse/web/data-schema";
 *
 * const definition = defineAccounts({
 *   fields: { company: { schema: string(), label: "Company" } },
 *   roles: ["reader", "editor", "admin"],
 * });
 * type User = Account<typeof definition.names>;
 * const role: User["role"] = "editor";
 * assertEquals(definition.names.roles.includes(role), true);
 * ```
 *
 * @typeParam N The names.
 * @param names The fields, roles, scopes and paths.
 * @returns The definition.
 * @throws {TypeError} If a name is malformed.
 */
export function defineAccounts<const N extends Names>(
  names: N,
): Definition<N> {
  checkFields(names);
  checkList("roles", names.roles);
  checkList("scopes", names.scopes);
  checkList("teamRoles", names.teamRoles);
  if (names.teamRoles?.length === 1) {
    throw new TypeError("Cannot define accounts: teamRoles has only one role");
  }
  for (const [name, path] of Object.entries(names.paths ?? {})) {
    if (typeof path === "string" && /^(?:\/[\w.~-]+)+$/.test(path)) continue;
    throw new TypeError(
      `Cannot define accounts: path "${name}" is not a path such as "/login"`,
    );
  }
  return {
    names,
    routes: createRoutes(names.paths),
    adminRoutes: createAdminRoutes(names.paths),
  };
}

function checkFields({ fields = {} }: Names): void {
  for (const [name, field] of Object.entries(fields)) {
    // Forms reserve names such as "password".
    if (!/^[A-Za-z]\w{0,39}$/.test(name) || name in Object.prototype) {
      throw new TypeError(
        `Cannot define accounts: field "${name}" is not a plain name`,
      );
    }
    if (typeof field?.schema?.["~standard"]?.validate !== "function") {
      throw new TypeError(
        `Cannot define accounts: field "${name}" has no schema`,
      );
    }
  }
}

/** The names of scopes, such as `invoices:read` (RFC 6749, section 3.3). */
const NAME = {
  roles: /^[\w-]{1,40}$/,
  scopes: /^[\w:./-]{1,40}$/,
  teamRoles: /^[\w-]{1,40}$/,
};

function checkList(
  kind: keyof typeof NAME,
  list: readonly string[] | undefined,
): void {
  if (list === undefined) return;
  const isUsable = list.length > 0 && new Set(list).size === list.length &&
    list.every((name) => NAME[kind].test(name));
  if (isUsable) return;
  throw new TypeError(
    `Cannot define accounts: ${kind} is not an array of different plain names`,
  );
}
