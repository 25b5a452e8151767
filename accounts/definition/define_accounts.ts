import type { Names } from "./names.ts";
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
 * @param names The fields, roles and paths.
 * @returns The definition.
 * @throws {TypeError} If a name is malformed.
 */
export function defineAccounts<const N extends Names>(
  names: N,
): Definition<N> {
  checkFields(names);
  checkRoles(names.roles);
  for (const [name, path] of Object.entries(names.paths ?? {})) {
    if (typeof path === "string" && /^(?:\/[\w.~-]+)+$/.test(path)) continue;
    throw new TypeError(
      `Cannot define accounts: path "${name}" is not a path such as "/login"`,
    );
  }
  return { names, routes: createRoutes(names.paths) };
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

function checkRoles(roles: readonly string[] | undefined): void {
  if (roles === undefined) return;
  const isUsable = roles.length > 0 && new Set(roles).size === roles.length &&
    roles.every((role) => /^[\w-]{1,40}$/.test(role));
  if (isUsable) return;
  throw new TypeError(
    "Cannot define accounts: roles is not an array of different plain names",
  );
}
