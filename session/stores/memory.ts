import { checkPositive } from "../../router/internal.ts";
import {
  checkIndex,
  checkKey,
  type KeyPage,
  type PutOptions,
  type SessionStore,
  type StoredValue,
  USER_PREFIX,
} from "../store.ts";
import { InMemoryStore } from "./in_memory.ts";

/** Options for {@linkcode createMemorySessionStore}. */
export interface MemorySessionStoreOptions {
  /**
   * The maximum number of values. See {@linkcode createMemorySessionStore} for the
   * order of eviction.
   *
   * @default {100_000}
   */
  readonly maxRecords?: number;
  /**
   * The approximate maximum memory of all keys and values, in bytes.
   *
   * @default {64 * 2 ** 20}
   */
  readonly maxBytes?: number;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The entries of one kind. The store evicts from the largest kind. */
interface Kind {
  readonly keys: KeySet;
  bytes: number;
}

interface Entry extends StoredValue {
  readonly expiresAt: number;
  readonly index: readonly string[];
  readonly kind: Kind;
  readonly bytes: number;
}

/** The approximate memory of an entry in addition to its strings, in bytes. */
const ENTRY_BYTES = 400;

/** The number of sessions that a user may have before others need the room. */
const MANY = 100;

/** Milliseconds between two searches for expired entries. */
const SWEEP_INTERVAL = 60_000;

/**
 * Creates a store in the memory of this process, for development, and for a server
 * that runs as one process and may lose its sessions at a restart.
 *
 * Its size is limited. When it is full, it evicts the oldest entry, in this order:
 *
 * 1. of a user with more than a hundred sessions,
 * 2. of the largest kind: anonymous sessions, one-time tokens, second factors,
 *    counts of rate limits, or one of the counts of a throttle,
 * 3. of all logins.
 *
 * A flood of one kind therefore does not evict other kinds, and only logins
 * evict the logins of other users. If users can register freely, an attacker
 * needs one account for each hundred logins. If the new value itself is
 * evicted, `put` returns `false`.
 *
 * @example Store a value
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * await store.put("key", "value", { ttl: 1_000, ifVersion: null });
 * assertEquals((await store.get("key"))?.value, "value");
 * ```
 *
 * @param options The limits and the clock.
 * @returns The store.
 * @throws {RangeError} If a limit is not a positive number.
 */
export function createMemorySessionStore(
  options: MemorySessionStoreOptions = {},
): SessionStore {
  return new MemoryStore(options);
}

class MemoryStore extends InMemoryStore implements SessionStore {
  readonly consistency = "strong";
  readonly #maxRecords: number;
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #logins: Kind = { keys: new KeySet(), bytes: 0 };
  /** All kinds except logins, by name. */
  readonly #kinds = new Map<string, Kind>();
  readonly #keysByName = new Map<string, KeySet>();
  /** The index names of users with too many sessions. */
  readonly #crowdedUsers = new Set<string>();
  #bytes = 0;
  #versions = 0;
  #sweptAt = 0;

  constructor(options: MemorySessionStoreOptions) {
    super();
    const { maxRecords = 100_000, maxBytes = 64 * 2 ** 20 } = options;
    this.#maxRecords = checkPositive("session store", "maxRecords", maxRecords);
    this.#maxBytes = checkPositive("session store", "maxBytes", maxBytes);
    this.#now = options.now ?? Date.now;
  }

  get(key: string): Entry | null {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > this.#now() ? entry : null;
  }

  put(key: string, value: string, options: PutOptions): boolean {
    const { ifVersion, index = [], ttl } = options;
    const current = this.get(checkKey(key));
    if ((current?.version ?? null) !== ifVersion) return false;
    const now = this.#now();
    if (now - this.#sweptAt >= SWEEP_INTERVAL) this.sweep(now);
    const names = checkIndex(index).join("");
    const entry: Entry = {
      value,
      version: String(++this.#versions),
      expiresAt: now + ttl,
      index,
      kind: this.#kindOf(key, index),
      bytes: ENTRY_BYTES + 2 * (key.length + value.length + names.length),
    };
    this.delete(key);
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    entry.kind.keys.add(key);
    entry.kind.bytes += entry.bytes;
    for (const name of index) {
      let keys = this.#keysByName.get(name);
      if (!keys) this.#keysByName.set(name, keys = new KeySet());
      keys.add(key);
      if (keys.size > MANY && name.startsWith(USER_PREFIX)) {
        this.#crowdedUsers.add(name);
      }
    }
    while (
      this.#entries.size > this.#maxRecords || this.#bytes > this.#maxBytes
    ) this.delete(this.#keyToEvict(entry));
    return this.#entries.has(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    entry.kind.keys.delete(key);
    entry.kind.bytes -= entry.bytes;
    for (const name of entry.index) {
      const keys = this.#keysByName.get(name);
      // The index may contain a name twice.
      if (!keys) continue;
      keys.delete(key);
      if (keys.size <= MANY) this.#crowdedUsers.delete(name);
      if (keys.size === 0) this.#keysByName.delete(name);
    }
  }

  byIndex(name: string): string[] {
    return [...this.#keysByName.get(name) ?? []]
      .filter((key) => this.get(key));
  }

  keys(): KeyPage {
    return { keys: [...this.#entries.keys()], next: undefined };
  }

  sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt <= now) this.delete(key);
    }
  }

  #kindOf(key: string, index: readonly string[]): Kind {
    for (const name of index) {
      if (name.startsWith(USER_PREFIX)) return this.#logins;
    }
    const [count = "other"] =
      /^(?:throttle:[a-z]+|second-factor|rate-limit)(?=:)/.exec(key) ?? [];
    const name = index.length > 0 ? "indexed" : count;
    let kind = this.#kinds.get(name);
    if (!kind) {
      this.#kinds.set(name, kind = { keys: new KeySet(), bytes: 0 });
    }
    return kind;
  }

  /** Chooses the entry to evict to make room for a new one. */
  #keyToEvict({ index, kind }: Entry): string {
    // A user with too many sessions evicts their own first.
    const [anyUser] = this.#crowdedUsers;
    const user = index.find((name) => this.#crowdedUsers.has(name)) ?? anyUser;
    if (user) return this.#keysByName.get(user)!.oldest();
    const largest = this.#largestKind();
    // An account with too many one-time tokens evicts its own first, too.
    const keysOfName = index.map((name) => this.#keysByName.get(name))
      .find((keys) => keys && keys.size > MANY);
    return (kind === largest && keysOfName || largest.keys).oldest();
  }

  /**
   * Returns the largest kind by the limit that is exceeded. Logins count only if
   * there is nothing else.
   */
  #largestKind(): Kind {
    const isNumber = this.#entries.size > this.#maxRecords;
    const sizeOf = ({ bytes, keys }: Kind) => isNumber ? keys.size : bytes;
    let largest = this.#logins;
    for (const kind of this.#kinds.values()) {
      if (kind.keys.size === 0) continue;
      if (largest === this.#logins || sizeOf(kind) > sizeOf(largest)) {
        largest = kind;
      }
    }
    return largest;
  }
}

/** The number of oldest keys that are found together. */
const BATCH = 500;

/**
 * Keys in the order of insertion. Engines walk over the deleted keys at the start
 * of a set each time, 18 µs with 20,000 keys, so `oldest` looks for many at once.
 */
class KeySet extends Set<string> {
  #oldest: Set<string> | undefined;

  override delete(key: string): boolean {
    this.#oldest?.delete(key);
    return super.delete(key);
  }

  /** Returns the oldest key, if there is one. */
  oldest(): string {
    if (!this.#oldest?.size) this.#oldest = new Set(this.values().take(BATCH));
    const [key] = this.#oldest;
    return key!;
  }
}
