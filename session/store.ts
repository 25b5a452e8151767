import { encodeBase64Url } from "./secrets.ts";

/** A stored value with the version to name when it is replaced. */
export interface StoredValue {
  /** The text that was put. */
  readonly value: string;
  /** Changes with every `put`, and is never used again for the same key. */
  readonly version: string;
}

/** How a value is to be stored. */
export interface PutOptions {
  /** Milliseconds until the store forgets the value. */
  readonly ttl: number;
  /**
   * The version to replace; `null` where the key must not exist. An expired
   * value does not exist.
   */
  readonly ifVersion: string | null;
  /**
   * Names that `byIndex` finds the key by, such as `user:42`; at most four.
   * They replace those of the value before.
   *
   * @default {[]}
   */
  readonly index?: readonly string[];
}

/**
 * Where sessions live: a map with compare-and-swap, expiry and an index.
 *
 * Every method may also throw or reject, when the store cannot be reached. The
 * application sees that error: a store that fails is never "no session".
 *
 * Hold your own store to this contract with `testSessionStore` from
 * `@gatehouse/web/session/testing`.
 */
export interface SessionStore {
  /**
   * Reads a value.
   *
   * @param key The key. It may come from a URL: a malformed key finds nothing.
   * @returns The value, or `null` where there is none or it has expired.
   */
  get(key: string): StoredValue | null | Promise<StoredValue | null>;

  /**
   * Stores a value if the version is still the one named.
   *
   * @param key The key: 1 to 256 printable ASCII characters. None begins with
   * `index:`, which a store can use for its index.
   * @param value The text to store: any but NUL characters.
   * @param options The lifetime, the version to replace and the index names.
   * @returns Whether it was stored. `false` means that another writer was
   * faster, or that the value is gone.
   */
  put(
    key: string,
    value: string,
    options: PutOptions,
  ): boolean | Promise<boolean>;

  /**
   * Removes a value and its index names. A missing key is no error.
   *
   * @param key The key.
   */
  delete(key: string): void | Promise<void>;

  /**
   * Finds the keys whose value was put with an index name. Without it, a
   * user's sessions can neither be listed nor ended together.
   *
   * @param name The index name.
   * @returns The keys, in no particular order, without expired ones.
   */
  byIndex?(name: string): readonly string[] | Promise<readonly string[]>;

  /**
   * Removes expired values, for stores that do not do so by themselves. One call
   * takes a moment at most. The library calls it now and then when a session
   * begins, in processes that run for ten minutes. So `put` should remove a few
   * expired values for each new one.
   *
   * @param now The time in epoch milliseconds.
   * @returns `true` if there are more expired values to remove.
   */
  sweep?(now: number): boolean | void | Promise<boolean | void>;

  /**
   * Whether compare-and-swap holds among all writers. Where it is not
   * `"strong"`, "once" is only likely.
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
export const MAX_INDEX_NAMES = 4;

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
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)));
}

/** The prefix of the index names of users. */
export const USER_PREFIX = "user:";

/** Returns the index name of a user. */
export function userIndexName(userId: string | number): string {
  return USER_PREFIX + userId;
}
