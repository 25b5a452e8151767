import {
  createToken,
  hashToken,
  isTokenShaped,
} from "../../auth/issued_tokens/api_token.ts";
import { LaterWork } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { JSONValue } from "../../session/mod.ts";
import { isDisabled } from "../actions/enter.ts";
import type { Names } from "../definition/names.ts";
import type { AccountStore, StoredAccount, WayIn } from "../store/store.ts";
import type { StoredMember } from "../store/teams.ts";

/** The kind of API keys among the ways into an account. */
export const KEY = "key";

/** The maximum number of API keys per account. */
export const MAX_KEYS = 50;

/** The shortest time between two stored uses of a key, in milliseconds. */
const USE_INTERVAL = 60_000;

/** An API key, without the key itself. */
export interface StoredKey {
  /** The id: the hash of the key. */
  readonly id: string;
  /** The name that the user sees. */
  readonly name: string;
  /** The first characters of the key, by which its owner recognizes it. */
  readonly start: string;
  /** The scopes. */
  readonly scopes: readonly string[];
  /**
   * The id of the team that it belongs to. It gives no access to other teams.
   *
   * @default {undefined}
   */
  readonly teamId?: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of its expiry, or `null`. */
  readonly expiresAt: number | null;
  /** The time of its last use, with a precision of a minute, or `null`. */
  readonly usedAt: number | null;
}

/** The values of a new key. */
export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  /** The membership that it belongs to. */
  readonly member?: Pick<StoredMember, "id" | "teamId"> | undefined;
}

/** A key with its account. */
export interface FoundKey {
  readonly key: StoredKey;
  readonly account: StoredAccount;
}

/** A new key, or the reason of the refusal. */
export type IssueResult =
  | { readonly ok: true; readonly token: string; readonly key: StoredKey }
  | { readonly ok: false; readonly reason: "ended" | "too-many" };

/** The settings of API keys. */
export interface KeySettings {
  readonly names: Names;
  readonly now: () => number;
  readonly prefix: string;
  readonly store: AccountStore;
}

/** The API keys of all accounts, which are ways into them. */
export class APIKeys {
  readonly #settings: KeySettings;
  readonly #running = new LaterWork();

  constructor(settings: KeySettings) {
    this.#settings = settings;
  }

  /** Creates a key of an account, if the account still has its version. */
  async issue(
    { id: accountId, version }: Pick<StoredAccount, "id" | "version">,
    { name, scopes, expiresAt, member }: NewKey,
  ): Promise<IssueResult> {
    const { now, prefix, store } = this.#settings;
    const token = createToken({ prefix });
    const start = token.slice(0, prefix.length + 5);
    const way: WayIn = {
      kind: KEY,
      id: await hashToken(token),
      accountId,
      name,
      createdAt: now(),
      usedAt: null,
      counter: 0,
      data: {
        scopes: [...scopes],
        expiresAt,
        start,
        ...member && { teamId: member.teamId, memberId: member.id },
      },
    };
    if (!await store.addWayIn(way, version)) {
      return { ok: false, reason: "ended" };
    }
    // Concurrent requests see each other's keys here, so none exceeds the limit.
    const all = await store.waysIn(accountId, KEY);
    if (all.length <= MAX_KEYS) return { ok: true, token, key: toKey(way) };
    await store.removeWayIn(way);
    return { ok: false, reason: "too-many" };
  }

  /** Returns the keys of an account, oldest first. */
  async list(accountId: string): Promise<StoredKey[]> {
    return (await this.#settings.store.waysIn(accountId, KEY)).map(toKey);
  }

  /** Revokes a key of an account. */
  async revoke(accountId: string, id: string): Promise<boolean> {
    return await this.#settings.store.removeWayIn({ accountId, kind: KEY, id });
  }

  /** Revokes all keys that were created before the account got its version. */
  async revokeAll(accountId: string): Promise<void> {
    for (const { id } of await this.list(accountId)) {
      await this.revoke(accountId, id);
    }
  }

  /** Revokes the keys of an account that belong to a team. */
  async revokeOf(accountId: string, team: string): Promise<void> {
    for (const { id, teamId } of await this.list(accountId)) {
      if (teamId === team) await this.revoke(accountId, id);
    }
  }

  /** Returns the key of a token; `null` if it does not work now. */
  async find(token: string): Promise<FoundKey | null> {
    const { names, now, prefix, store } = this.#settings;
    if (!isTokenShaped(token, { prefix })) return null;
    const found = await store.findWayIn(KEY, await hashToken(token));
    if (found === null) return null;
    const { account, way } = found;
    const key = toKey(way);
    const time = now();
    if (key.expiresAt !== null && key.expiresAt <= time) return null;
    if (isDisabled(account, time) || account.deleteAt !== null) return null;
    if (!await this.#isMember(way, key)) return null;
    // A scope that the application no longer has does not count.
    const scopes = key.scopes.filter((scope) => names.scopes?.includes(scope));
    return { account, key: { ...key, scopes } };
  }

  /**
   * Returns `false` if the membership of a key has ended, even if the user is a
   * member again.
   */
  async #isMember({ accountId, data }: WayIn, { teamId }: StoredKey) {
    if (teamId === undefined) return true;
    const { store } = this.#settings;
    const found = await store.teams?.membership(teamId, accountId);
    const { memberId } = data as { readonly memberId?: JSONValue };
    return found?.member.id === memberId && memberId !== undefined;
  }

  /** Stores the time of a use, at most once a minute, after the response. */
  noteUse(context: RequestContext, { key }: FoundKey): void {
    const time = this.#settings.now();
    if (key.usedAt !== null && time - key.usedAt < USE_INTERVAL) return;
    this.#running.add(context, this.#storeUse(key.id, time));
  }

  /** Waits for the uses that are being stored. */
  flush(): Promise<void> {
    return this.#running.flush();
  }

  async #storeUse(id: string, usedAt: number): Promise<void> {
    const { store } = this.#settings;
    try {
      const found = await store.findWayIn(KEY, id);
      if (found === null) return;
      const { counter, data, usedAt: before } = found.way;
      // Another request may have stored its use in the meantime.
      if (before !== null && usedAt - before < USE_INTERVAL) return;
      const use = { usedAt, counter: counter + 1, data };
      await store.useWayIn(KEY, id, use, counter);
    } catch (error) {
      // The response was sent already, and the next use tries again.
      const { name } = Object(error) as { name?: unknown };
      console.error(`Cannot store the use of an API key: ${String(name)}`);
    }
  }
}

/**
 * Returns the key of a row, which another version of the library may have
 * written.
 */
function toKey({ id, name, createdAt, usedAt, data }: WayIn): StoredKey {
  const { expiresAt, scopes, start, teamId } = Object(data) as Record<
    string,
    JSONValue | undefined
  >;
  return {
    id,
    name,
    start: typeof start === "string" ? start : "",
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    createdAt,
    // A key whose expiry is missing or malformed counts as expired.
    expiresAt: typeof expiresAt === "number" || expiresAt === null
      ? expiresAt
      : 0,
    usedAt,
    ...teamId !== undefined && { teamId: String(teamId) },
  };
}
