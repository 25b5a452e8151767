/**
 * Accounts: registration, login, reset of the password and an account area, with
 * pages and emails.
 *
 * @module
 */
export {
  type AccountMiddleware,
  type Accounts,
  createAccounts,
} from "./create_accounts.ts";
export type { AccountSessionOptions, AccountsOptions } from "./options.ts";
export type { Mail } from "./mails/mail.ts";
export type { AccountPageParts, Layout } from "./pages/page.ts";
export type { NewUser, UserRecord, Users } from "./users.ts";
