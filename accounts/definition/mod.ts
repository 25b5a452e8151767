/**
 * The names of an application's accounts: fields, roles and paths. It contains no
 * server code, so that a browser may import it.
 *
 * @module
 */
export { defineAccounts, type Definition } from "./define_accounts.ts";
export type {
  Account,
  AccountField,
  AccountPaths,
  FieldsOf,
  ItemOf,
  Names,
  RoleOf,
  ScopeOf,
  TeamRoleOf,
} from "./names.ts";
export type { AdminRoutes } from "./admin_routes.ts";
export type { AccountRoutes, PageRoutes } from "./routes.ts";
