import {
  checkOptions,
  isObject,
  OBJECT,
  oneOf,
  type OptionCheck,
} from "../option_checks.ts";
import type { AccountPaths, Names } from "./names.ts";
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
  checkOptions("define accounts", names, { fields: OBJECT, paths: OBJECT });
  checkFields(names);
  checkList("roles", names.roles);
  checkList("scopes", names.scopes);
  checkList("teamRoles", names.teamRoles);
  if (names.teamRoles?.length === 1) {
    throw new TypeError("Cannot define accounts: teamRoles has only one role");
  }
  for (const [name, path] of Object.entries(names.paths ?? {})) {
    const isKnown = PATHS.includes(name as keyof AccountPaths);
    if (isKnown && /^(?:\/[\w.~-]+)+$/.test(String(path))) continue;
    throw new TypeError(
      `Cannot define accounts: path "${name}" is ${
        isKnown ? 'not a path such as "/login"' : "unknown"
      }`,
    );
  }
  return {
    names,
    routes: createRoutes(names.paths),
    adminRoutes: createAdminRoutes(names.paths),
  };
}

/** The names of the paths. */
const PATHS: readonly (keyof AccountPaths)[] = [
  "login",
  "register",
  "account",
  "teams",
  "admin",
];

/** The checks of a field, except for its schema. */
const FIELD: Readonly<Record<string, OptionCheck>> = {
  label: [
    "a string, or an object with strings by language",
    (value) =>
      isText(value) ||
      isObject(value) && isNonEmpty(Object.values(value)),
  ],
  input: [
    "an input, or an array of strings",
    (value) => INPUTS.includes(value as string) || isNonEmpty(value),
  ],
  by: oneOf("user", "application"),
};

const INPUTS: readonly string[] = ["text", "tel", "url", "date", "checkbox"];

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isNonEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
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
    const all = { ...field, label: field.label ?? null };
    checkOptions("define accounts", all, FIELD, `fields.${name}.`);
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
  const isUsable = isNonEmpty(list) && new Set(list).size === list.length &&
    list.every((name) => NAME[kind].test(name));
  if (isUsable) return;
  throw new TypeError(
    `Cannot define accounts: ${kind} is not an array of different plain names`,
  );
}
