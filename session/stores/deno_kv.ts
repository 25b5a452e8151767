/**
 * A session store in Deno KV.
 *
 * @module
 */
import type { PutOptions, SessionStore, StoredValue } from "../store.ts";
import { checkIndex, checkKey, isKey } from "./keys.ts";

/** A key of Deno KV, as this store makes them. */
export type DenoKVKey = string[];

/** What Deno KV returns for a key. */
export interface DenoKVEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** The value; `null` where there is none. */
  readonly value: unknown;
  /** The version; `null` where there is no value. */
  readonly versionstamp: string | null;
}

/** A transaction of Deno KV, the part that this store uses. */
export interface DenoKVTransaction {
  /** Makes the commit fail where a version is another one. */
  check(entry: { key: DenoKVKey; versionstamp: string | null }): unknown;
  /** Stores a value. */
  set(key: DenoKVKey, value: unknown, options: { expireIn: number }): unknown;
  /** Removes a value. */
  delete(key: DenoKVKey): unknown;
  /** Does it all, or nothing. */
  commit(): Promise<{ readonly ok: boolean }>;
}

/** A database of Deno KV, the part that this store uses. */
export interface DenoKV {
  /** Reads a value. */
  get(key: DenoKVKey): Promise<DenoKVEntry>;
  /** Lists the entries whose keys begin alike. */
  list(selector: { prefix: DenoKVKey }): AsyncIterable<DenoKVEntry>;
  /** Begins a transaction. */
  atomic(): DenoKVTransaction;
}

/** Options for {@linkcode createDenoKVSessionStore}. */
export interface DenoKVSessionStoreOptions {
  /**
   * What every key begins with.
   *
   * @default {["gatehouse", "session"]}
   */
  readonly prefix?: readonly string[];
  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** What is stored under a key. */
interface Stored {
  readonly value: string;
  readonly expiresAt: number;
  readonly index: readonly string[];
}

/** How many times a delete is tried against other writers. */
const MAX_ATTEMPTS = 100;

/**
 * Creates a session store in Deno KV, for Deno Deploy and for
 * `await Deno.openKv()`, which needs `--unstable-kv`.
 *
 * @example Its shape, with a database that is always empty
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
    // Deno KV removes what expired some time later.
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
    const transaction = this.#replacing(key, found);
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
      const transaction = this.#replacing(key, found);
      transaction.delete(this.#valueKey(key));
      if ((await transaction.commit()).ok) return;
    }
    throw new Error("Cannot delete value: too many writers at once");
  }

  async byIndex(name: string): Promise<string[]> {
    const prefix = [...this.#prefix, "index", name];
    const keys: string[] = [];
    for await (const { key, value } of this.#kv.list({ prefix })) {
      if (Number(value) > this.#now()) keys.push(String(key.at(-1)));
    }
    return keys;
  }

  /** A transaction on what was found, without its index names. */
  #replacing(key: string, found: DenoKVEntry): DenoKVTransaction {
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
