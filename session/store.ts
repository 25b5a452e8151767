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
