import { canonicalName } from "../auth/internal.ts";
import { endUserSessions, type JSONValue } from "../session/mod.ts";
import { isAddress } from "./actions/address.ts";
import type { Invitation } from "./invitations/invitations.ts";
import { DEFAULT_ROLES } from "./actions/roles.ts";
import { newAccountId } from "./actions/registration.ts";
import { PASSKEY, removeWays } from "./actions/passkey_store.ts";
import type { Services } from "./actions/services.ts";
import { checkTime } from "./check_time.ts";
import type { Account, FieldsOf, Names, RoleOf } from "./definition/names.ts";
import { invitedMail } from "./mails/contents.ts";
import { messagesIn } from "./messages/languages.ts";
import { retry } from "./store/retry.ts";
import { toUser } from "./to_user.ts";
import type {
  AccountChange,
  AccountListOptions,
  Disabled,
  StoredAccount,
} from "./store/store.ts";

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

/** Creates the functions for administrators. */
export function createUsers<N extends Names>(
  ready: () => Promise<Services>,
): Users<N> {
  return new AccountUsers<N>(ready);
}

class AccountUsers<N extends Names> implements Users<N> {
  readonly #ready: () => Promise<Services>;

  constructor(ready: () => Promise<Services>) {
    this.#ready = ready;
  }

  async find(id: string): Promise<UserRecord<N> | null> {
    const { store } = await this.#ready();
    return toRecord<N>(await store.find(id));
  }

  async findByEmail(email: string): Promise<UserRecord<N> | null> {
    const { store } = await this.#ready();
    return toRecord<N>(await store.findByEmail(canonicalName(email)));
  }

  async list(options?: AccountListOptions) {
    const { store } = await this.#ready();
    const { accounts, next } = await store.list(options);
    return { users: accounts.map((one) => toRecord<N>(one)!), next };
  }

  async create(user: NewUser<N>): Promise<UserRecord<N> | null> {
    const { names, now, store } = await this.#ready();
    const { role = (names.roles ?? DEFAULT_ROLES)[0]! } = user;
    checkRole(names, role);
    const email = checkAddress("create account", user.email);
    const account = await store.create({
      id: newAccountId(),
      email,
      emailVerified: user.emailVerified ?? false,
      name: user.name,
      role,
      language: null,
      fields: (user.fields ?? {}) as Readonly<Record<string, JSONValue>>,
      passwordHash: "",
      createdAt: now(),
    });
    return toRecord<N>(account);
  }

  async invite(
    { email: given, language = "en", role }: NewInvitation<N>,
  ): Promise<boolean> {
    const services = await this.#ready();
    if (services.registration === "closed") {
      throw new TypeError("Cannot invite: the registration is closed");
    }
    if (role !== undefined) checkRole(services.names, role);
    const email = checkAddress("invite", given);
    const result = await services.invitations.invite({
      email,
      role: role ?? null,
      invitedBy: null,
    });
    if (typeof result === "string") return false;
    const { token } = result;
    const messages = messagesIn(language);
    // A job has no request that the email could wait for.
    await services.outbox.send(
      invitedMail({ services }, messages, { email, token }),
    );
    return true;
  }

  async invitations(): Promise<readonly Invitation[]> {
    return await (await this.#ready()).invitations.list();
  }

  async withdrawInvitation(email: string): Promise<boolean> {
    const { invitations } = await this.#ready();
    return await invitations.withdraw(canonicalName(email));
  }

  async update(
    id: string,
    { name, fields }: { readonly name?: string; readonly fields?: FieldsOf<N> },
  ): Promise<boolean> {
    const { store } = await this.#ready();
    return await store.update(id, {
      ...name !== undefined && { name },
      ...fields !== undefined && { fields: fields as StoredAccount["fields"] },
    });
  }

  async setRole(id: string, role: RoleOf<N>): Promise<boolean> {
    const { adminRole, names, store } = await this.#ready();
    checkRole(names, role);
    return adminRole === undefined
      ? await store.update(id, { role })
      : await store.setRole(id, role, adminRole);
  }

  async disable(
    id: string,
    { reason, until }: { readonly reason: string; readonly until?: number },
  ): Promise<boolean> {
    if (until !== undefined) checkTime("until", until);
    return await this.#change(id, {
      disabled: { reason, until: until ?? null },
    });
  }

  async enable(id: string): Promise<boolean> {
    return await this.#change(id, { disabled: null });
  }

  async endAccess(id: string): Promise<boolean> {
    const isChanged = await this.#change(id, {});
    // A request that has read the earlier version can no longer add a key.
    await (await this.#ready()).keys.revokeAll(id);
    return isChanged;
  }

  async removeFactors(id: string): Promise<boolean> {
    const isChanged = await this.endAccess(id);
    const { factors, store } = await this.#ready();
    await removeWays(store, id, ({ kind }) => kind === PASSKEY);
    await factors.remove(id);
    return isChanged;
  }

  async remove(id: string): Promise<boolean> {
    return await removeAll(await this.#ready(), id);
  }

  /** Changes credentials of any version of the account. */
  async #change(id: string, change: AccountChange): Promise<boolean> {
    const services = await this.#ready();
    const { apps, factors, sessions, store } = services;
    return await retry(async () => {
      const account = await store.find(id);
      if (account === null) return false;
      const version = await store.change(id, account.version, change);
      if (version === null) return undefined;
      await factors.revoke(id);
      await endUserSessions(sessions, id, { version });
      // The version has ended the grants, and this removes them.
      await apps.revoke(id);
      return true;
    });
  }
}

/** Removes an account with its second factors, sessions and connected apps. */
export async function removeAll(
  { apps, factors, invitations, sessions, store, teams }: Services,
  id: string,
): Promise<boolean> {
  return await retry(async () => {
    const account = await store.find(id);
    if (account === null) return false;
    // The address becomes free, and an invitation to it must not work again.
    await invitations.withdraw(account.email);
    await teams.removeEmptyTeamsOf(id);
    // If this fails, the account stays, so that another attempt can succeed.
    await apps.revoke(id);
    if (!await store.remove(id, account.version)) return undefined;
    await factors.remove(id);
    await store.audit.forget(id);
    await endUserSessions(sessions, id);
    return true;
  });
}

/** Returns an address as the store spells it. */
function checkAddress(verb: string, given: string): string {
  const email = canonicalName(given);
  if (isAddress(email)) return email;
  throw new TypeError(`Cannot ${verb}: email is not an address`);
}

function checkRole({ roles = DEFAULT_ROLES }: Names, role: string): void {
  if (roles.includes(role)) return;
  throw new TypeError(`Cannot set role "${role}": it is not listed`);
}

/** Returns an account with the facts for administrators. */
export function toRecord<N extends Names>(
  account: StoredAccount | null,
): UserRecord<N> | null {
  if (account === null) return null;
  const { createdAt, disabled, deleteAt } = account;
  const { scopes: _, ...user } = toUser<N>(account, {});
  return { ...user, createdAt, disabled, deleteAt };
}
