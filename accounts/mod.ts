/**
 * Accounts: registration, login, password reset and an account area, with
 * pages and emails.
 *
 * @module
 */
export {
  type AccountMiddleware,
  type Accounts,
  createAccounts,
} from "./create_accounts.ts";
export { AccountHookError, type HookName } from "./hooks/errors.ts";
export type {
  AccountHooks,
  AccountRequest,
  AccountServices,
  HookParts,
  LoginAttempt,
  LoginStep,
  Refusal,
  RegistrationAttempt,
  SecondFactorRequired,
} from "./hooks/hooks.ts";
export { describeAccounts } from "./describe_accounts.ts";
export type { APIKey, Keys, NewAPIKey } from "./keys/keys.ts";
export {
  Member,
  type MemberGuard,
  type MemberKey,
  type Membership,
  type TeamOf,
} from "./teams/member.ts";
export type { AccountProvider } from "./providers.ts";
export type { TokenAccount } from "./apps/user_source.ts";
export type { Teams } from "./teams/teams.ts";
export type { StoredKey } from "./keys/api_keys.ts";
export type {
  AccountFeature,
  AccountSessionOptions,
  AccountsOptions,
  APIKeyOptions,
} from "./options.ts";
export type { Mail } from "./mails/mail.ts";
export type { AccountPageParts, Layout } from "./pages/page.ts";
export type { Invitation } from "./invitations/invitations.ts";
export type {
  NewInvitation,
  NewUser,
  UserRecord,
  Users,
} from "./admin/user_records.ts";
