import { SessionStoreError } from "./errors.ts";
import { randomToken } from "./secrets.ts";

/** A stored value and its version. */
export interface StoredValue {
  /** The string that was put. */
  readonly value: string;
  /** The version. Each `put` creates a new one that the key never had before. */
  readonly version: string;
}

/** A key and the version that its value must have. */
export interface KeyVersion {
  /** The key. */
  readonly key: string;
  /** The version. */
  readonly version: string;
}

/** Some of the keys of a store. */
export interface KeyPage {
  /** The keys. */
  readonly keys: readonly string[];
  /** The position of the next page, or `undefined` on the last one. */
  readonly next: string | undefined;
}

/** Options for {@linkcode SessionStore.put}. */
export interface PutOptions {
  /** The lifetime of the value in milliseconds. */
  readonly ttl: number;
  /**
   * The version to replace, or `null` if the key must not exist. An expired value
   * does not exist.
   */
  readonly ifVersion: string | null;
  /**
   * The index names of the value, such as `user:42`. `byIndex` finds the key by
   * them. At most four. They replace the names of the previous value.
   *
   * @default {[]}
   */
  readonly index?: readonly string[];
}

/**
 * A store for sessions: a map with compare-and-swap, expiry and an index.
 *
 * Every method may throw or reject if the store is unavailable. The request then
 * fails, because a failure must not look like a logout.
 *
 * Test your own store with `testSessionStore` from
 * `@gatehouse/web/testing`.
 */
export interface SessionStore {
  /**
   * Returns a value.
   *
   * @param key The key. It may come from a URL, so it can be malformed.
   * @returns The value, or `null` if it does not exist or has expired.
   */
  get(key: string): StoredValue | null | Promise<StoredValue | null>;

  /**
   * Stores a value if the key still has the expected version.
   *
   * @param key The key: 1 to 256 printable ASCII characters. It never begins with
   * `index:`, which a store can use for its index.
   * @param value A string without NUL characters.
   * @param options The lifetime, the version to replace and the index names.
   * @returns `true` if the value was stored. `false` if another writer won the
   * race, or if the value to replace no longer exists.
   */
  put(
    key: string,
    value: string,
    options: PutOptions,
  ): boolean | Promise<boolean>;

  /**
   * Removes a value and its index names. A missing key is not an error.
   *
   * @param key The key.
   */
  delete(key: string): void | Promise<void>;

  /**
   * Returns the keys of the values with an index name. Without this method, the
   * sessions of a user cannot be listed or ended together.
   *
   * @param name The index name.
   * @returns The keys, in no particular order, without expired ones.
   */
  byIndex?(name: string): readonly string[] | Promise<readonly string[]>;

  /**
   * Returns the keys of all values with index names, in pages. A value that
   * exists throughout the listing is on one of them. There may be other keys
   * too, such as those of values that have just been replaced or have expired.
   * Without this method, the sessions of all users cannot be ended together.
   *
   * @param after The property `next` of the page before. The default is the
   * first page.
   * @returns The page.
   */
  keys?(after?: string): KeyPage | Promise<KeyPage>;

  /**
   * Returns several values. Without this method, the library calls `get` for each.
   *
   * @param keys At most 500 keys.
   * @returns The values in the order of the keys, with `null` for those that do not
   * exist or have expired.
   */
  getMany?(
    keys: readonly string[],
  ): readonly (StoredValue | null)[] | Promise<readonly (StoredValue | null)[]>;

  /**
   * Replaces several values by the same value, each if it still has its version.
   * The new values have no index names. Without this method, the library calls
   * `put` for each.
   *
   * @param entries At most 500 keys, each once, with their versions.
   * @param value The new value, a string without NUL characters.
   * @param ttl The lifetime of the new values in milliseconds.
   * @returns The keys whose values were replaced.
   */
  replaceMany?(
    entries: readonly KeyVersion[],
    value: string,
    ttl: number,
  ): readonly string[] | Promise<readonly string[]>;

  /**
   * Removes expired values, if the store does not do so itself. One call should be
   * short. The library calls it at most every ten minutes, when a session begins,
   * and for the first time at a random point in the first ten minutes. It does not
   * wait for it. Many processes end before that, so `put` should also remove a few
   * expired values.
   *
   * @param now The time in epoch milliseconds.
   * @returns `true` if there are more expired values to remove.
   */
  sweep?(now: number): boolean | void | Promise<boolean | void>;

  /**
   * `"strong"` if compare-and-swap works across all writers. Without it, two
   * requests may take the same value.
   *
   * @default {"strong"}
   */
  readonly consistency?: "strong" | "eventual";
}

/**
 * Printable ASCII of a bounded length. The Redis store keeps its index sets
 * under `index:`, so no store accepts a key with this prefix.
 */
const KEY = /^(?!index:)[\x20-\x7e]{1,256}$/;

/**
 * Returns `true` if the key is valid. Keys can come from a URL, so stores return
 * `null` for an invalid key.
 */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/**
 * Returns the key if it is valid.
 *
 * @throws {RangeError} If the key is malformed.
 */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new RangeError(
    'Cannot store value: its key is not 1 to 256 printable ASCII characters, or begins with "index:"',
  );
}

/** The maximum number of index names of a value, in any store. */
const MAX_INDEX_NAMES = 4;

/**
 * Returns the names if there are not too many.
 *
 * @throws {RangeError} If there are too many.
 */
export function checkIndex(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_INDEX_NAMES) return names;
  throw new RangeError(
    `Cannot store value: it has ${names.length} index names, and at most ${MAX_INDEX_NAMES} are allowed`,
  );
}

/** Creates a version that no value has had before, not even under the same key. */
export function newVersion(): string {
  return randomToken(12);
}

/** The prefix of the index names of users. */
export const USER_PREFIX = "user:";

/** Returns the index name of a user. */
export function userIndexName(userId: string | number): string {
  return USER_PREFIX + userId;
}

/** The limit of sweeps in one call: far more than any store needs. */
const MAX_SWEEPS = 100_000;

/** Options for {@linkcode sweepSessions}. */
export interface SweepSessionsOptions {
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Removes all expired values from a store, for a cron job.
 *
 * It is rarely needed: Redis, Deno KV and Durable Objects remove expired values
 * themselves, and the SQL store removes a few expired rows with each new one.
 * Use it after a flood of requests, or if a long time without logins follows.
 *
 * @example Sweep every night
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMemorySessionStore, sweepSessions } from "@gatehouse/web/session";
 *
 * let time = 0;
 * const now = () => time;
 * const store = createMemorySessionStore({ now });
 * await store.put("key", "value", { ttl: 1_000, ifVersion: null });
 *
 * time = 1_000;
 * // Deno.cron("sweep", "0 4 * * *", () => sweepSessions(store));
 * await sweepSessions(store, { now });
 * assertEquals(await store.get("key"), null);
 * ```
 *
 * @param store The store.
 * @param options The clock.
 * @throws {SessionStoreError} If the store fails.
 */
export async function sweepSessions(
  store: SessionStore,
  options: SweepSessionsOptions = {},
): Promise<void> {
  const { now = Date.now } = options;
  try {
    for (let count = 0; count < MAX_SWEEPS; count++) {
      if (await store.sweep?.(now()) !== true) return;
    }
  } catch (cause) {
    throw new SessionStoreError("sweep", { cause });
  }
}

/** Milliseconds between two sweeps of the store. */
const SWEEP_INTERVAL = 600_000;

/**
 * Creates a function that sweeps the store every ten minutes. It returns at
 * once, so that no request waits for a sweep. If a sweep did not remove
 * everything, the next call starts another. It ignores failures, because no
 * store returns expired values.
 *
 * The first sweep is at a random point in the first ten minutes. This way,
 * processes that start together do not sweep together, and short-lived ones
 * sweep too.
 */
export function sweeper(store: SessionStore, now: () => number): () => void {
  let sweptAt = now() - Math.random() * SWEEP_INTERVAL;
  return () => {
    const time = now();
    if (time - sweptAt < SWEEP_INTERVAL) return;
    sweptAt = time;
    Promise.try(() => store.sweep?.(time)).then(
      (hasMore) => {
        if (hasMore === true) sweptAt = -Infinity;
      },
      () => {},
    );
  };
}
