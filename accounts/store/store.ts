import type { JSONValue, SessionStore } from "../../session/mod.ts";
import type { AuditStore } from "./audit.ts";
import type { TeamStore } from "./teams.ts";

/** The reason and the end of a block. */
export interface Disabled {
  /** The reason, for the page of the administrators. */
  readonly reason: string;
  /** The end in epoch milliseconds, or `null`. */
  readonly until: number | null;
}

/** An account as a store returns it. */
export interface StoredAccount {
  /** The id: random, and never used again. */
  readonly id: string;
  /** The address in lowercase, which is unique. */
  readonly email: string;
  /** `true` if the user proved that the address is theirs. */
  readonly emailVerified: boolean;
  /** The name. */
  readonly name: string;
  /** The role. */
  readonly role: string;
  /** The language of emails, such as `de`, or `null`. */
  readonly language: string | null;
  /** The values of the application's own fields. */
  readonly fields: Readonly<Record<string, JSONValue>>;
  /** `true` if the account has a password. */
  readonly hasPassword: boolean;
  /** The version of the account's credentials: {@linkcode AccountStore.change}. */
  readonly version: number;
  /** The time of the registration, in epoch milliseconds. */
  readonly createdAt: number;
  /** The block of the account, or `null`. */
  readonly disabled: Disabled | null;
  /** The time of the deletion that the user asked for, or `null`. */
  readonly deleteAt: number | null;
}

/** An account with the hash of its password. */
export interface AccountLogin {
  /** The account. */
  readonly account: StoredAccount;
  /** The hash, or an empty string if the account has no password. */
  readonly passwordHash: string;
}

/** A new account. */
export interface NewAccount extends
  Pick<
    StoredAccount,
    | "id"
    | "email"
    | "emailVerified"
    | "name"
    | "role"
    | "language"
    | "fields"
    | "createdAt"
  > {
  /** The hash of the password, or an empty string. */
  readonly passwordHash: string;
  /**
   * The block of the account from its creation.
   *
   * @default {null}
   */
  readonly disabled?: Disabled | null;
}

/** New values that open no way into the account. */
export interface AccountDetails {
  /** The name. */
  readonly name?: string;
  /** The role. */
  readonly role?: string;
  /** The language. */
  readonly language?: string | null;
  /** Values of the application's own fields. Missing fields stay the same. */
  readonly fields?: Readonly<Record<string, JSONValue>>;
  /** The time of the deletion, or `null` to cancel it. */
  readonly deleteAt?: number | null;
}

/** New credentials. Missing properties stay the same. */
export interface AccountChange {
  /** The hash of the password, or an empty string to remove the password. */
  readonly passwordHash?: string;
  /** The address. */
  readonly email?: string;
  /** `true` if the user proved that the address is theirs. */
  readonly emailVerified?: boolean;
  /** The block, or `null` to end it. */
  readonly disabled?: Disabled | null;
  /**
   * `true` to remove all ways into the account but the password and the address.
   *
   * @default {false}
   */
  readonly removeWaysIn?: boolean;
}

/**
 * A way into an account in addition to its password: a linked login, a passkey,
 * an API key.
 */
export interface WayIn {
  /** The kind, such as `"passkey"`. */
  readonly kind: string;
  /** The id, which is unique within its kind. */
  readonly id: string;
  /** The id of the account. */
  readonly accountId: string;
  /** The name that the user sees. */
  readonly name: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of its last use, or `null`. */
  readonly usedAt: number | null;
  /** The number of its uses, or the signature counter of a passkey. */
  readonly counter: number;
  /** Other data of its kind. */
  readonly data: JSONValue;
}

/** A way in with its account, from one statement. */
export interface FoundWayIn {
  /** The way in. */
  readonly way: WayIn;
  /** The account. */
  readonly account: StoredAccount;
}

/** New values of a way in that was used. */
export interface WayInUse {
  /** The time of the use, in epoch milliseconds. */
  readonly usedAt: number;
  /** The new counter. */
  readonly counter: number;
  /** The new data. */
  readonly data: JSONValue;
}

/** Options for {@linkcode AccountStore.list}. */
export interface AccountListOptions {
  /**
   * The `next` of the page before.
   *
   * @default {undefined}
   */
  readonly after?: string | undefined;
  /**
   * The maximum number of accounts, from 1 to 1,000.
   *
   * @default {50}
   */
  readonly limit?: number;
  /**
   * A part of the name or the address, in upper or lower case.
   *
   * @default {undefined}
   */
  readonly search?: string | undefined;
  /**
   * The role.
   *
   * @default {undefined}
   */
  readonly role?: string | undefined;
}

/** A page of accounts, oldest first. */
export interface AccountPage {
  /** The accounts. */
  readonly accounts: readonly StoredAccount[];
  /** The value for `after`, or `undefined` on the last page. */
  readonly next: string | undefined;
}

/**
 * A store of accounts. `createSQLAccountStore` creates one on a SQL database. Test
 * your own with `testAccountStore` of `@gatehouse/web/testing`.
 *
 * One statement must decide each step, because two requests can run at the same
 * time. All steps that open a way into an account compare its version with the
 * one that the request has seen. A change of the credentials therefore ends
 * every proof and every way in that other requests are about to complete.
 *
 * If the database is unavailable, methods reject with an `AccountStoreError`: the
 * response is a 503 with `Retry-After`, and users stay logged in. Addresses are in
 * the spelling that the store compares: trimmed and in lowercase.
 */
export interface AccountStore {
  /**
   * A durable store, for second factors, links in emails and limits. Sessions
   * may share it.
   */
  readonly values: SessionStore;

  /** The audit log. */
  readonly audit: AuditStore;

  /**
   * The teams. Your own store needs this property only if the application names team
   * roles.
   *
   * @default {undefined}
   */
  readonly teams?: TeamStore;

  /**
   * Creates what the store needs, such as tables. Several processes may call it at
   * the same time, and again at each start.
   */
  migrate(): Promise<void>;

  /**
   * Returns an account.
   *
   * @param id The id, from a cookie or a URL: any string is possible.
   */
  find(id: string): Promise<StoredAccount | null>;

  /**
   * Returns the account of an address.
   *
   * @param email The address.
   */
  findByEmail(email: string): Promise<StoredAccount | null>;

  /**
   * Returns the account of an address with the hash of its password.
   *
   * @param email The address.
   */
  findLogin(email: string): Promise<AccountLogin | null>;

  /**
   * Returns a page of accounts, oldest first.
   *
   * @param options The page, and conditions.
   */
  list(options?: AccountListOptions): Promise<AccountPage>;

  /**
   * Returns the accounts whose deletion is due, at most 100.
   *
   * @param now The time in epoch milliseconds.
   */
  due(now: number): Promise<readonly StoredAccount[]>;

  /**
   * Stores a new account with the version 1. One statement stores its block, too.
   *
   * @param account The account.
   * @returns The account; `null` if another one has the address.
   */
  create(account: NewAccount): Promise<StoredAccount | null>;

  /**
   * Changes values that open no way into the account. The version stays the same.
   *
   * @param id The id of the account.
   * @param details The new values.
   * @returns `false` if there is no such account.
   */
  update(id: string, details: AccountDetails): Promise<boolean>;

  /**
   * Changes the role, unless the account is the last one with a role that is
   * neither blocked nor waiting for its deletion. The version stays the same.
   *
   * @param id The id of the account.
   * @param role The new role.
   * @param keep The role that one account must keep.
   * @returns `false` if it is the last one, or there is no such account.
   */
  setRole(id: string, role: string, keep: string): Promise<boolean>;

  /**
   * Changes credentials, if the account still has a version, and raises it by one.
   *
   * @param id The id of the account.
   * @param version The version that the account must have.
   * @param change The new values.
   * @returns The new version; `null` if the account has another version or does
   * not exist, or another account has the new address.
   */
  change(
    id: string,
    version: number,
    change: AccountChange,
  ): Promise<number | null>;

  /**
   * Marks the address as verified, if the account still has it and a version. The
   * version stays the same.
   *
   * @param id The id of the account.
   * @param version The version that the account must have.
   * @param email The address that was verified.
   * @returns `false` if the account has another version or address.
   */
  verifyEmail(id: string, version: number, email: string): Promise<boolean>;

  /**
   * Replaces the hash of a password with a stronger one of the same password.
   *
   * @param id The id of the account.
   * @param before The hash that the account must have.
   * @param after The new hash.
   * @returns `false` if the account has another hash.
   */
  rehash(id: string, before: string, after: string): Promise<boolean>;

  /**
   * Removes an account with its ways in, if it still has a version.
   *
   * @param id The id of the account.
   * @param version The version that the account must have.
   * @returns `false` if the account has another version or does not exist.
   */
  remove(id: string, version: number): Promise<boolean>;

  /**
   * Adds a way into an account, if the account still has a version.
   *
   * @param way The way in.
   * @param version The version that the account must have.
   * @returns `false` if the account has another version, or another way in of the
   * kind has the id.
   */
  addWayIn(way: WayIn, version: number): Promise<boolean>;

  /**
   * Returns a way in with its account.
   *
   * @param kind The kind.
   * @param id The id, from the network: any string is possible.
   */
  findWayIn(kind: string, id: string): Promise<FoundWayIn | null>;

  /**
   * Returns the ways into an account, oldest first.
   *
   * @param accountId The id of the account.
   * @param kind The kind, or all kinds.
   */
  waysIn(accountId: string, kind?: string): Promise<readonly WayIn[]>;

  /**
   * Stores the use of a way in, if its counter has not changed in the meantime.
   *
   * @param kind The kind.
   * @param id The id.
   * @param use The new values.
   * @param ifCounter The counter that it must have.
   * @returns `false` if it is missing or has another counter.
   */
  useWayIn(
    kind: string,
    id: string,
    use: WayInUse,
    ifCounter: number,
  ): Promise<boolean>;

  /**
   * Renames a way into an account.
   *
   * @param way The account, the kind and the id.
   * @param name The new name.
   * @returns `false` if the account has no such way in.
   */
  renameWayIn(
    way: Pick<WayIn, "accountId" | "kind" | "id">,
    name: string,
  ): Promise<boolean>;

  /**
   * Removes a way into an account.
   *
   * @param way The account, the kind and the id.
   * @returns `false` if the account has no such way in.
   */
  removeWayIn(
    way: Pick<WayIn, "accountId" | "kind" | "id">,
  ): Promise<boolean>;

  /**
   * Returns a secret that all processes share. The first call stores it.
   *
   * @param name The name of the secret.
   * @param value The value to store if the secret does not exist.
   * @returns The stored value.
   */
  secret(name: string, value: string): Promise<string>;
}
