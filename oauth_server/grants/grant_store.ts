import {
  type CallStore,
  type FoundValue,
  inBatches,
  parseJSON,
  ValueStore,
} from "../../session/internal.ts";
import type { StoredValue } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import type { GrantedClient } from "../clients/client.ts";

/**
 * The only row of a grant. It begins as a code and becomes a grant when the code
 * is exchanged. It contains no token and no hash of one: without the secrets, a
 * leaked store is worth nothing.
 */
export interface GrantRow {
  /** The user's id, as a string. */
  readonly userId: string;
  /** The version of the user's credentials at the consent. */
  readonly version: number | null;
  /** The client, as the token endpoint needs it. */
  readonly client: GrantedClient;
  /** The name of the client that the user saw. */
  readonly name: string;
  /** The host of the client's document. */
  readonly host?: string | undefined;
  /** The redirect URI of the request. */
  readonly redirectUri: string;
  /** The URL of the resource. */
  readonly resource: string;
  /** The scopes. Access tokens refer to them by their position. */
  readonly scopes: readonly string[];
  /** The code challenge of PKCE, by which a replay of the code is recognized. */
  readonly challenge: string;
  /** The time of the consent, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of the user's login, in epoch milliseconds. */
  readonly authenticatedAt: number | null;
  /** The time at which the code was exchanged, or `null` before that. */
  readonly exchangedAt: number | null;
  /** The generation of the refresh token. It is 0 before the exchange. */
  readonly generation: number;
  /** The time of the last new refresh token, in epoch milliseconds. */
  readonly rotatedAt: number;
  /**
   * The request of a device until its exchange, if the grant began as one (RFC
   * 8628). Until the user decides, `userId` is `""`.
   *
   * @default {undefined}
   */
  readonly device?: DeviceRequest | undefined;
  /**
   * The thumbprint of the key that the tokens are bound to (RFC 9449). A code has one
   * if its request named the key.
   *
   * @default {undefined}
   */
  readonly thumbprint?: string | undefined;
}

/** The request of a device. */
export interface DeviceRequest {
  /** The decision of the user. */
  readonly status: "waiting" | "approved" | "denied";
  /**
   * The name by which the store finds its user code, before the decision.
   *
   * @default {undefined}
   */
  readonly name?: string | undefined;
  /** The address of the device, for the user. */
  readonly address?: string | undefined;
}

/** A grant and the version of its row. */
export interface FoundGrant {
  readonly row: GrantRow;
  readonly version: string;
}

/** A grant and its key. */
export interface KeyedGrant {
  readonly key: string;
  readonly row: GrantRow;
}

/** The lifetimes of a server, in milliseconds. */
export interface Lifetimes {
  readonly access: number;
  readonly idle: number;
  readonly total: number;
  readonly grace: number;
}

/** The lifetime of a code, in milliseconds (RFC 6749, section 4.1.2). */
const CODE_LIFETIME = 60_000;

/** The maximum number of keys of `getMany`. */
const MAX_KEYS = 500;

/** The lifetime of a device code, in milliseconds. */
export const DEVICE_LIFETIME = 600_000;

/** Returns the time at which a code or a grant expires, in epoch milliseconds. */
export function expiryOf(row: GrantRow, { idle, total }: Lifetimes): number {
  const lifetime = row.device === undefined ? CODE_LIFETIME : DEVICE_LIFETIME;
  return row.generation === 0
    ? row.createdAt + lifetime
    : Math.min(row.rotatedAt + idle, row.createdAt + total);
}

/** The rows of grants in a store. */
export class GrantStore {
  readonly #values: ValueStore<GrantRow>;
  readonly #call: CallStore;
  readonly #settings: GrantStoreSettings;

  constructor(call: CallStore, settings: GrantStoreSettings) {
    const { lifetimes, now } = settings;
    this.#call = call;
    this.#settings = settings;
    this.#values = new ValueStore<GrantRow>(call, {
      prefix: "grant",
      ttl: (row) => expiryOf(row, lifetimes) - now(),
      index: async ({ device, userId }) => {
        if (device?.status === "denied") return [];
        return device?.status === "waiting"
          ? [deviceIndexOf(device.name)]
          : [await this.#indexOf(userId)];
      },
      parse: parseRow,
    });
  }

  /** Stores a new code or device code. Returns `false` if the store has no room. */
  async add(key: string, row: GrantRow): Promise<boolean> {
    return await this.#values.add(rowKey(key), row);
  }

  /** Returns a grant, or `null` if it does not exist or has expired. */
  async read(key: string): Promise<FoundGrant | null> {
    return this.#current(await this.#values.read(rowKey(key)));
  }

  /** Returns the keys that an index has. Some may name other rows by now. */
  async keysOf(index: string): Promise<string[]> {
    const keys = await this.#values.keysOf(index);
    return keys.map((key) => key.slice(0, -SUFFIX.length));
  }

  /** Changes a grant unless another request has changed or ended it. */
  async replace(
    key: string,
    row: GrantRow,
    version: string,
  ): Promise<boolean> {
    return await this.#values.replace(rowKey(key), row, version);
  }

  /**
   * Ends a grant and its tokens. A refresh at the same time cannot bring it back,
   * because it only replaces a row that exists.
   */
  async end(key: string): Promise<void> {
    await this.#values.remove(rowKey(key));
  }

  /** Ends several grants. */
  async endAll(keys: readonly string[]): Promise<void> {
    await inBatches(keys, (key) => this.end(key));
  }

  /** Returns the codes and grants of a user, the newest first. */
  async ofUser(userId: string): Promise<KeyedGrant[]> {
    const keys = await this.keysOf(await this.#indexOf(userId));
    const values: (StoredValue | null)[] = [];
    for (let start = 0; start < keys.length; start += MAX_KEYS) {
      const some = keys.slice(start, start + MAX_KEYS).map(rowKey);
      values.push(...await this.#getMany(some));
    }
    return values.flatMap((stored, index) => {
      const value = stored && parseRow(stored.value);
      const found = stored && this.#current({ ...stored, value });
      // An index may name a key whose value was replaced in the meantime.
      return found?.row.userId === userId
        ? [{ key: keys[index]!, row: found.row }]
        : [];
    }).sort((a, b) => b.row.createdAt - a.row.createdAt);
  }

  async #getMany(
    keys: readonly string[],
  ): Promise<readonly (StoredValue | null)[]> {
    return await this.#call(
      "list",
      (store): Promise<readonly (StoredValue | null)[]> =>
        store.getMany === undefined
          ? inBatches(keys, async (key) => await store.get(key))
          : Promise.resolve(store.getMany(keys)),
    );
  }

  #current(found: FoundValue<GrantRow> | null): FoundGrant | null {
    const { lifetimes, now } = this.#settings;
    const row = found?.value ?? null;
    return row === null || expiryOf(row, lifetimes) <= now()
      ? null
      : { row, version: found!.version };
  }

  /** Returns the index name of a user. Servers that share a store have different names. */
  async #indexOf(userId: string): Promise<string> {
    const { issuer } = this.#settings;
    return `oauth-user:${await sha256Base64Url(`${issuer}\n${userId}`)}`;
  }
}

/** The settings of a {@linkcode GrantStore}. */
interface GrantStoreSettings {
  readonly issuer: string;
  readonly lifetimes: Lifetimes;
  readonly now: () => number;
}

/**
 * The end of the keys. The beginning is random, because stores such as Durable
 * Objects distribute keys by it.
 */
const SUFFIX = "~grant";

/** Returns the index name of a waiting device. */
export function deviceIndexOf(name: string | undefined): string {
  return `oauth-device:${name}`;
}

function rowKey(key: string): string {
  return key + SUFFIX;
}

function parseRow(text: string): GrantRow | null {
  const row = parseJSON(text) as GrantRow | null;
  return typeof row?.userId === "string" && Array.isArray(row.scopes) &&
      typeof row.client?.id === "string" &&
      typeof row.challenge === "string" && Number.isFinite(row.generation) &&
      Number.isFinite(row.createdAt) && Number.isFinite(row.rotatedAt)
    ? row
    : null;
}

/**
 * Returns the public id of a grant. No token can be computed from it, not even with
 * the secrets.
 */
export async function publicId(key: string): Promise<string> {
  return await sha256Base64Url(`grant ${key}`);
}
