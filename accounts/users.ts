import { canonicalName } from "../auth/internal.ts";
import { endUserSessions, type JSONValue } from "../session/mod.ts";
import { isAddress } from "./actions/address.ts";
import type { Invitation } from "./invitations/invitations.ts";
import { DEFAULT_ROLES } from "./actions/roles.ts";
import { newAccountId } from "./actions/registration.ts";
import { PASSKEY, removeWays } from "./actions/passkey_store.ts";
import type { Services } from "./actions/services.ts";
import { checkTime } from "./check_time.ts";
import type { FieldsOf, Names, RoleOf } from "./definition/names.ts";
import { invitedMail } from "./mails/contents.ts";
import { messagesIn } from "./messages/languages.ts";
import { checkLimit } from "./store/cursor.ts";
import { retry } from "./store/retry.ts";
import { toUser } from "./to_user.ts";
import type {
  AccountChange,
  AccountListOptions,
  StoredAccount,
} from "./store/store.ts";
import type {
  NewInvitation,
  NewUser,
  UserRecord,
  Users,
} from "./admin/user_records.ts";

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

  async list(options: AccountListOptions = {}) {
    // Behind the store, the mistake of a caller would be an outage.
    checkLimit(options);
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
