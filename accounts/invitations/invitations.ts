import { checkedCaller } from "../../auth/internal.ts";
import { parseJSON, ValueStore } from "../../session/internal.ts";
import { randomToken, sha256Base64Url } from "../../session/secrets.ts";
import type { AccountStore } from "../store/store.ts";
import { isDisabled } from "../actions/enter.ts";

/** The lifetime of an invitation, in milliseconds. */
const LIFETIME = 7 * 86_400_000;

/** The maximum number of open invitations. */
export const MAX_OPEN = 200;

const PREFIX = "invitation";

/** The index name of all invitations. */
const ALL = `${PREFIX}s`;

/** An invitation to register. */
export interface Invitation {
  /** The address, which the new account has. */
  readonly email: string;
  /** The role of the new account; `null` for that of other new accounts. */
  readonly role: string | null;
  /** The time of the invitation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time at which it expires, in epoch milliseconds. */
  readonly expiresAt: number;
}

interface StoredInvitation extends Invitation {
  /** The id of the administrator; `null` if the application has invited. */
  readonly invitedBy: string | null;
  /** The hash of the secret in the link. */
  readonly secretHash: string;
}

/** An invitation with the hash of its secret, which tells it from later ones. */
export type OpenInvitation = Invitation & { readonly secretHash: string };

/** The settings of invitations. */
interface InvitationSettings {
  readonly store: AccountStore;
  readonly adminRole: string | undefined;
  readonly now: () => number;
}

/**
 * The invitations to register. Each address has at most one, so another one
 * replaces it.
 */
export class Invitations {
  readonly #settings: InvitationSettings;
  readonly #values: ValueStore<StoredInvitation>;

  constructor(settings: InvitationSettings) {
    this.#settings = settings;
    const { now, store } = settings;
    const use = { owner: "invitations", race: "who accepts one first" };
    this.#values = new ValueStore(checkedCaller(store.values, use), {
      prefix: PREFIX,
      ttl: ({ expiresAt }) => expiresAt - now(),
      index: () => [ALL],
      parse: parseInvitation,
    });
  }

  /** Invites an address. The token belongs into the link of an email. */
  async invite(
    { email, role, invitedBy }: Pick<
      StoredInvitation,
      "email" | "role" | "invitedBy"
    >,
  ): Promise<{ readonly token: string } | "taken" | "too-many"> {
    const { now, store } = this.#settings;
    if (await store.findByEmail(email) !== null) return "taken";
    const open = await this.list();
    const isFull = open.length >= MAX_OPEN;
    if (isFull && open.every((one) => one.email !== email)) return "too-many";
    const secret = randomToken(16);
    const key = await this.#values.key(email);
    const createdAt = now();
    const value = {
      email,
      role,
      invitedBy,
      createdAt,
      expiresAt: createdAt + LIFETIME,
      secretHash: await sha256Base64Url(secret),
    };
    const isStored = await this.#values.update(
      key,
      () => ({ value, result: true }),
    );
    if (isStored !== true) {
      throw new Error("Cannot invite: the invitation was not stored");
    }
    return { token: `${key.slice(PREFIX.length + 1)}.${secret}` };
  }

  /** Returns the open invitations, oldest first. */
  async list(): Promise<Invitation[]> {
    const { now, store } = this.#settings;
    const keys = await this.#values.keysOf(ALL);
    const all = await Promise.all(keys.map(async (key) => {
      const found = await this.#values.get(key);
      if (found === null || found.expiresAt <= now()) return null;
      return await store.findByEmail(found.email) === null ? found : null;
    }));
    return all
      .filter((one) => one !== null)
      .map(({ email, role, createdAt, expiresAt }) => ({
        email,
        role,
        createdAt,
        expiresAt,
      }))
      .sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Returns the invitation of a link; `null` if it does not work. */
  async find(token: unknown): Promise<OpenInvitation | null> {
    const match = typeof token === "string" &&
      /^([\w-]{43})\.([\w-]{22})$/.exec(token);
    if (!match) return null;
    const [, name, secret = ""] = match;
    const found = await this.#open(`${PREFIX}:${name}`);
    return found?.secretHash === await sha256Base64Url(secret) ? found : null;
  }

  /**
   * Returns the invitation of an address that is proved in another way, such as by a
   * provider.
   */
  async findFor(email: string): Promise<OpenInvitation | null> {
    return await this.#open(await this.#values.key(email));
  }

  /**
   * Uses an invitation up. Call it after the account was created: if the process
   * stops in between, the address has an account, and the invitation does not work.
   *
   * @returns `false` if the invitation has ended or was replaced in the meantime.
   */
  async end({ email, secretHash }: OpenInvitation): Promise<boolean> {
    const key = await this.#values.key(email);
    const found = await this.#values.get(key);
    if (found?.secretHash !== secretHash || !await this.#isValid(found)) {
      return false;
    }
    const isSame = (one: StoredInvitation) => one.secretHash === secretHash;
    return (await this.#values.take(key, isSame) ?? null) !== null;
  }

  /** Ends the invitation of an address. Returns `false` if it has none. */
  async withdraw(email: string): Promise<boolean> {
    const taken = await this.#values.take(await this.#values.key(email));
    return (taken ?? null) !== null;
  }

  /** Returns an invitation whose address has no account. */
  async #open(key: string): Promise<OpenInvitation | null> {
    const found = await this.#values.get(key);
    if (found === null || !await this.#isValid(found)) return null;
    const owner = await this.#settings.store.findByEmail(found.email);
    return owner === null ? found : null;
  }

  /**
   * Returns `true` if an invitation has not expired and its sender is still an
   * administrator. Otherwise, an administrator who was blocked could return with it.
   */
  async #isValid({ expiresAt, invitedBy }: StoredInvitation): Promise<boolean> {
    const { adminRole, now, store } = this.#settings;
    if (expiresAt <= now()) return false;
    if (invitedBy === null) return true;
    const sender = await store.find(invitedBy);
    return sender !== null && sender.role === adminRole &&
      !isDisabled(sender, now());
  }
}

/** Parses a stored invitation. Returns `null` for a malformed one. */
function parseInvitation(text: string): StoredInvitation | null {
  const { createdAt, email, expiresAt, invitedBy, role, secretHash } = Object(
    parseJSON(text),
  );
  const isValid = [email, secretHash].every((one) => typeof one === "string") &&
    [invitedBy, role].every((one) => one === null || typeof one === "string") &&
    [createdAt, expiresAt].every(Number.isFinite);
  return isValid
    ? { createdAt, email, expiresAt, invitedBy, role, secretHash }
    : null;
}
