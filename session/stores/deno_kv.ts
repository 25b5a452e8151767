/**
 * A session store in Deno KV.
 *
 * @module
 */
import {
  checkIndex,
  checkKey,
  isKey,
  type KeyPage,
  type PutOptions,
  type SessionStore,
  type StoredValue,
} from "../store.ts";

/** A key of this store in Deno KV. */
export type DenoKVKey = string[];

/** A key and its value in Deno KV. */
export interface DenoKVEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** The value, or `null` if the key is missing. */
  readonly value: unknown;
  /** The version, or `null` if the key is missing. */
  readonly versionstamp: string | null;
}

/** The part of a Deno KV transaction that this store uses. */
export interface DenoKVTransaction {
  /** Makes the commit fail if the key has a different version. */
  check(entry: { key: DenoKVKey; versionstamp: string | null }): unknown;
  /** Stores a value. */
  set(key: DenoKVKey, value: unknown, options: { expireIn: number }): unknown;
  /** Removes a value. */
  delete(key: DenoKVKey): unknown;
  /** Runs all changes, or none if a check fails. */
  commit(): Promise<{ readonly ok: boolean }>;
}

/** The part of a Deno KV database that this store uses. */
export interface DenoKV {
  /** Reads a value. */
  get(key: DenoKVKey): Promise<DenoKVEntry>;
  /** Returns the entries whose keys have a prefix, from a key on. */
  list(
    selector: { prefix: DenoKVKey; start?: DenoKVKey },
    options?: { limit?: number },
  ): AsyncIterable<DenoKVEntry>;
  /** Begins a transaction. */
  atomic(): DenoKVTransaction;
}

/** Options for {@linkcode createDenoKVSessionStore}. */
export interface DenoKVSessionStoreOptions {
  /**
   * The first parts of every key.
   *
   * @default {["gatehouse", "session"]}
   */
  readonly prefix?: readonly string[];
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The stored form of a value. */
interface Stored {
  readonly value: string;
  readonly expiresAt: number;
  readonly index: readonly string[];
}

/** The number of keys in a page. Deno KV also reads their values. */
const PAGE = 100;

/** The limit of attempts to delete a value with the index names that it has. */
const MAX_ATTEMPTS = 10;

/**
 * Creates a session store in Deno KV, for Deno Deploy and for
 * `await Deno.openKv()`, which needs `--unstable-kv`.
 *
 * @example Create a store, with an empty database
 * ```ts
 * import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
 * import { assertEquals } from "@std/assert";
 *
 * const kv = {
 *   get: (key: string[]) =>
 *     Promise.resolve({ key, value: null, versionstamp: null }),
 *   async *list() {},
 *   atomic: () => {
 *     throw new Error("Not in this example");
 *   },
 * };
 * const store = createDenoKVSessionStore(kv); // or (await Deno.openKv())
 * assertEquals(await store.get("a"), null);
 * ```
 *
 * @param kv The database.
 * @param options The prefix and the clock.
 * @returns The store.
 */
export function createDenoKVSessionStore(
  kv: DenoKV,
  options: DenoKVSessionStoreOptions = {},
): SessionStore {
  return new DenoKVStore(kv, options);
}

class DenoKVStore implements SessionStore {
  readonly consistency = "strong";
  readonly #kv: DenoKV;
  readonly #prefix: readonly string[];
  readonly #now: () => number;

  constructor(kv: DenoKV, options: DenoKVSessionStoreOptions) {
    this.#kv = kv;
    this.#prefix = options.prefix ?? ["gatehouse", "session"];
    this.#now = options.now ?? Date.now;
  }

  async get(key: string): Promise<StoredValue | null> {
    if (!isKey(key)) return null;
    const { value, versionstamp } = await this.#kv.get(this.#valueKey(key));
    // Deno KV removes expired values with a delay.
    return this.#isLive(value)
      ? { value: value.value, version: versionstamp! }
      : null;
  }

  async put(
    key: string,
    value: string,
    options: PutOptions,
  ): Promise<boolean> {
    const { ifVersion, ttl } = options;
    const index = checkIndex(options.index ?? []);
    const found = await this.#kv.get(this.#valueKey(checkKey(key)));
    const version = this.#isLive(found.value) ? found.versionstamp : null;
    if (version !== ifVersion) return false;

    const expiresAt = this.#now() + ttl;
    const stored: Stored = { value, expiresAt, index };
    const expireIn = Math.ceil(ttl);
    const transaction = this.#replacement(key, found);
    transaction.set(this.#valueKey(key), stored, { expireIn });
    for (const name of index) {
      transaction.set(this.#indexKey(name, key), expiresAt, { expireIn });
    }
    return (await transaction.commit()).ok;
  }

  async delete(key: string): Promise<void> {
    if (!isKey(key)) return;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await this.#kv.get(this.#valueKey(key));
      if (found.value === null) return;
      const transaction = this.#replacement(key, found);
      transaction.delete(this.#valueKey(key));
      if ((await transaction.commit()).ok) return;
    }
    // Other writers must not delay a logout. The index entry of a deleted value
    // expires, and readers ignore it.
    const transaction = this.#kv.atomic();
    transaction.delete(this.#valueKey(key));
    await transaction.commit();
  }

  async byIndex(name: string): Promise<string[]> {
    const prefix = [...this.#prefix, "index", name];
    const keys: string[] = [];
    for await (const { key, value } of this.#kv.list({ prefix })) {
      if (Number(value) > this.#now()) keys.push(String(key.at(-1)));
    }
    return keys;
  }

  async keys(after?: string): Promise<KeyPage> {
    const prefix = [...this.#prefix, "value"];
    const start = after === undefined ? undefined : this.#valueKey(after);
    const selector = start === undefined ? { prefix } : { prefix, start };
    const keys: string[] = [];
    for await (const { key } of this.#kv.list(selector, { limit: PAGE })) {
      keys.push(String(key.at(-1)));
    }
    const next = keys.length < PAGE ? undefined : keys.at(-1);
    // A page begins with the last key of the page before.
    return { keys, next: next === after ? undefined : next };
  }

  /**
   * Begins a transaction that replaces an entry: it checks the version and
   * removes the index names.
   */
  #replacement(key: string, found: DenoKVEntry): DenoKVTransaction {
    const transaction = this.#kv.atomic();
    const { versionstamp } = found;
    transaction.check({ key: this.#valueKey(key), versionstamp });
    for (const name of (found.value as Stored | null)?.index ?? []) {
      transaction.delete(this.#indexKey(name, key));
    }
    return transaction;
  }

  #isLive(stored: unknown): stored is Stored {
    return stored !== null && (stored as Stored).expiresAt > this.#now();
  }

  #valueKey(key: string): DenoKVKey {
    return [...this.#prefix, "value", key];
  }

  #indexKey(name: string, key: string): DenoKVKey {
    return [...this.#prefix, "index", name, key];
  }
}
