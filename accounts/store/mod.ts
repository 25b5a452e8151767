/**
 * Stores of accounts: the contract, and stores in a SQL database and in memory.
 *
 * @module
 */
export { AccountStoreError } from "./errors.ts";
export {
  createMemoryAccountStore,
  type MemoryAccountStoreOptions,
} from "./memory.ts";
export { createSQLAccountStore, type SQLAccountStoreOptions } from "./sql.ts";
export type {
  AccountChange,
  AccountDetails,
  AccountListOptions,
  AccountLogin,
  AccountPage,
  AccountStore,
  Disabled,
  FoundWayIn,
  NewAccount,
  StoredAccount,
  WayIn,
  WayInUse,
} from "./store.ts";
export type {
  AuditEntry,
  AuditListOptions,
  AuditPage,
  AuditStore,
} from "./audit.ts";
export type {
  FoundMember,
  ListedMember,
  MemberChange,
  StoredInvitation,
  StoredMember,
  StoredTeam,
  TeamStore,
} from "./teams.ts";
export { accountTables } from "./_tables.ts";
