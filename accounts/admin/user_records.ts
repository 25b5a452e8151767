import type { Account, FieldsOf, Names, RoleOf } from "../definition/names.ts";
import type { Invitation } from "../invitations/invitations.ts";
import type { AccountListOptions, Disabled } from "../store/store.ts";

/**
 * An account with the facts that only administrators see.
 *
 * @typeParam N The names of the application.
 */
export interface UserRecord<N extends Names = Names>
  extends Omit<Account<N>, "scopes" | "teamId"> {
  /** The time of the registration, in epoch milliseconds. */
  readonly createdAt: number;
  /** The block of the account, or `null`. */
  readonly disabled: Disabled | null;
  /** The time of the deletion that the user asked for, or `null`. */
  readonly deleteAt: number | null;
}

/**
 * A new account, for {@linkcode Users}.
 *
 * @typeParam N The names of the application.
 */
export interface NewUser<N extends Names = Names> {
  /** The address. */
  readonly email: string;
  /** The name. */
  readonly name: string;
  /**
   * The role.
   *
   * @default {the first role}
   */
  readonly role?: RoleOf<N>;
  /**
   * The values of the additional fields.
   *
   * @default {no values}
   */
  readonly fields?: FieldsOf<N>;
  /**
   * `true` if you know that the address is the user's.
   *
   * @default {false}
   */
  readonly emailVerified?: boolean;
}

/**
 * The address of a new user, for an invitation.
 *
 * @typeParam N The names of the application.
 */
export interface NewInvitation<N extends Names = Names> {
  /** The address. */
  readonly email: string;
  /**
   * The role of the new account.
   *
   * @default {that of other new accounts}
   */
  readonly role?: RoleOf<N>;
  /**
   * The language of the email, such as `de`.
   *
   * @default {"en"}
   */
  readonly language?: string;
}

/**
 * The accounts of the application, for pages of administrators, jobs and tests.
 *
 * @typeParam N The names of the application.
 */
export interface Users<N extends Names = Names> {
  /**
   * Returns an account.
   *
   * @param id The id.
   */
  find(id: string): Promise<UserRecord<N> | null>;
  /**
   * Returns the account of an address, in any spelling.
   *
   * @param email The address.
   */
  findByEmail(email: string): Promise<UserRecord<N> | null>;
  /**
   * Returns a page of accounts, oldest first.
   *
   * @param options The page, and conditions.
   * @throws {RangeError} If the limit is not a whole number from 1 to 1,000.
   */
  list(options?: AccountListOptions): Promise<{
    /** The accounts. */
    readonly users: readonly UserRecord<N>[];
    /** The value for `after`, or `undefined` on the last page. */
    readonly next: string | undefined;
  }>;
  /**
   * Creates an account without a password. Its owner chooses one with an email.
   *
   * @param user The account.
   * @returns The account; `null` if another one has the address.
   * @throws {TypeError} If the address is malformed, or the role is unknown.
   */
  create(user: NewUser<N>): Promise<UserRecord<N> | null>;
  /**
   * Invites an address to register, and sends it an email with a link that works
   * once, for seven days. Another invitation of the address ends this one.
   *
   * @param invitation The address.
   * @returns `false` if the address has an account, or 200 invitations are open.
   * @throws {TypeError} If the address is malformed, the role is unknown, or the
   * registration is closed.
   */
  invite(invitation: NewInvitation<N>): Promise<boolean>;
  /** Returns the open invitations, oldest first. */
  invitations(): Promise<readonly Invitation[]>;
  /**
   * Ends the invitation of an address.
   *
   * @param email The address.
   * @returns `false` if it has no open invitation.
   */
  withdrawInvitation(email: string): Promise<boolean>;
  /**
   * Changes the name or the additional fields, including those of the
   * application.
   *
   * @param id The id.
   * @param changes The new values. Fields that are missing stay the same.
   * @returns `false` if there is no such account.
   */
  update(
    id: string,
    changes: { readonly name?: string; readonly fields?: FieldsOf<N> },
  ): Promise<boolean>;
  /**
   * Changes the role. It takes effect at the next request.
   *
   * @param id The id.
   * @param role The role.
   * @returns `false` if there is no such account, or if it is the last administrator,
   * who keeps the role.
   * @throws {TypeError} If the role is unknown.
   */
  setRole(id: string, role: RoleOf<N>): Promise<boolean>;
  /**
   * Blocks an account, and ends its access at the next request.
   *
   * @param id The id.
   * @param block The reason, and the end in epoch milliseconds.
   * @returns `false` if there is no such account.
   * @throws {RangeError} If the end is not the time of a date.
   */
  disable(
    id: string,
    block: { readonly reason: string; readonly until?: number },
  ): Promise<boolean>;
  /**
   * Ends a block.
   *
   * @param id The id.
   * @returns `false` if there is no such account.
   */
  enable(id: string): Promise<boolean>;
  /**
   * Ends all sessions, links, codes, API keys and connected applications of an
   * account.
   *
   * @param id The id.
   * @returns `false` if there is no such account.
   */
  endAccess(id: string): Promise<boolean>;
  /**
   * Removes the passkeys, the authenticator app and the recovery codes of a user who
   * has lost them, and ends all access.
   *
   * Trust: make sure that the user is the owner. Afterwards, the password or the
   * mailbox logs in, and sets up a new factor if the account needs one.
   *
   * @param id The id.
   * @returns `false` if there is no such account.
   */
  removeFactors(id: string): Promise<boolean>;
  /**
   * Removes an account with everything that belongs to it, at once.
   *
   * @param id The id.
   * @returns `false` if there is no such account.
   */
  remove(id: string): Promise<boolean>;
}
