/**
 * Imports the accounts of other systems, so that no user has to log in, reset a
 * password or set up a second factor again.
 *
 * @example Importing the accounts of better-auth
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import {
 *   importAccounts,
 *   readBetterAuth,
 * } from "@gatehouse/web/accounts/migrate";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 *
 * // The function that runs a statement in the database of better-auth.
 * const query = () => [];
 * const store = createMemoryAccountStore();
 * const importing = importAccounts(readBetterAuth(query), { store });
 * await assertRejects(() => importing, TypeError, 'no table "user"');
 * ```
 *
 * @module
 */
export { adoptSessions, type AdoptSessionsOptions } from "./adopt_sessions.ts";
export { type OldTablesOptions, readAuthJS } from "./auth_js.ts";
export { type AuthJSTokenOptions, takeAuthJSToken } from "./auth_js_token.ts";
export { type BetterAuthOptions, readBetterAuth } from "./better_auth.ts";
export {
  type BetterAuthTeamsOptions,
  readBetterAuthTeams,
} from "./better_auth_teams.ts";
export { type ClerkOptions, readClerk } from "./clerk.ts";
export {
  importAccounts,
  type ImportAccountsOptions,
} from "./import_accounts.ts";
export type {
  ImportedAccount,
  ImportedLogin,
  ImportProblem,
  ImportReport,
} from "./imported_account.ts";
export { importTeams, type ImportTeamsOptions } from "./import_teams.ts";
export type {
  ImportedInvitation,
  ImportedMember,
  ImportedTeam,
  TeamImportReport,
} from "./imported_team.ts";
export { readLucia } from "./lucia.ts";
export {
  type OldSession,
  type OldSessionOptions,
  takeAuthJSSession,
  takeBetterAuthSession,
  takeLuciaSession,
  type TakeOldSession,
} from "./old_sessions.ts";
export { readSupabase, type SupabaseOptions } from "./supabase.ts";
