import { checkPositive } from "../../router/internal.ts";
import {
  checkIndex,
  checkKey,
  type PutOptions,
  type SessionStore,
  type StoredValue,
  USER_PREFIX,
} from "../store.ts";

/** Options for {@linkcode createMemorySessionStore}. */
export interface MemorySessionStoreOptions {
  /**
   * The most values that are kept. Beyond it, the longest unchanged go first:
   * of a user's sessions those beyond the hundredth, and the other sessions of
   * logged-in users after everything else.
   *
   * @default {100_000}
   */
  readonly maxRecords?: number;
  /**
   * The most memory that keys and values may take, in bytes, approximately.
   *
   * @default {64 * 1024 * 1024}
   */
  readonly maxBytes?: number;
  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * The kind of an entry for the bounds: a login, something else with an index
 * name (a one-time token), one of the counts of a throttle, or none of these (an
 * anonymous session).
 */
type Kind = "login" | "indexed" | "plain" | `throttle:${string}`;

/** What there is of one kind, and what it takes. */
interface Crowd {
  /** A set keeps its order: the longest unchanged entry's key is the first. */
  readonly keys: Set<string>;
  bytes: number;
}

interface Entry extends StoredValue {
  readonly expiresAt: number;
  readonly index: readonly string[];
  readonly kind: Kind;
  readonly bytes: number;
}

/** What an entry costs besides its text, roughly. */
const ENTRY_BYTES = 400;

/** How many entries of one name are more than a user needs. */
const MANY = 100;

/** Milliseconds between two looks for expired entries. */
const SWEEP_INTERVAL = 60_000;

/**
 * Creates a store in this process's memory: for development, and for a server
 * that runs as one process and may forget its sessions when it restarts.
 *
 * It is bounded. What strangers can cause (anonymous sessions, one-time tokens,
 * each of the counts of a throttle) pushes out its like, and a flood of one sort
 * leaves the other sorts their room, be it of many or of large ones. Before all else
 * goes what one user has beyond a hundred sessions, oldest first, so that who logs
 * in over and over takes room from nobody. Other logins are only pushed out by
 * logins, where the store is full of them: the one that was not used for longest.
 * Where anybody can register, that takes an account for each hundred values.
 * What finds no room at all is not stored, and `put` says so.
 *
 * @example Keeping a value
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * await store.put("key", "value", { ttl: 1_000, ifVersion: null });
 * assertEquals((await store.get("key"))?.value, "value");
 * ```
 *
 * @param options The bounds and the clock.
 * @returns The store.
 * @throws {RangeError} If a bound is not a positive number.
 */
export function createMemorySessionStore(
  options: MemorySessionStoreOptions = {},
): SessionStore {
  return new MemoryStore(options);
}

class MemoryStore implements SessionStore {
  readonly consistency = "strong";
  readonly #maxRecords: number;
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #crowds = new Map<Kind, Crowd>();
  readonly #keysByName = new Map<string, Set<string>>();
  /** The names of users with more sessions than they need. */
  readonly #crowdedUsers = new Set<string>();
  #bytes = 0;
  #versions = 0;
  #sweptAt = 0;

  constructor(options: MemorySessionStoreOptions) {
    this.#maxRecords = checkPositive(
      "session store",
      "maxRecords",
      options.maxRecords ?? 100_000,
    );
    this.#maxBytes = checkPositive(
      "session store",
      "maxBytes",
      options.maxBytes ?? 64 * 1024 * 1024,
    );
    this.#now = options.now ?? Date.now;
  }

  get(key: string): StoredValue | null {
    return this.#live(key, this.#now()) ?? null;
  }

  put(key: string, value: string, options: PutOptions): boolean {
    const now = this.#now();
    const current = this.#live(checkKey(key), now);
    if ((current?.version ?? null) !== options.ifVersion) return false;
    if (now - this.#sweptAt >= SWEEP_INTERVAL) this.sweep(now);
    const index = checkIndex(options.index ?? []);
    const entry: Entry = {
      value,
      version: String(++this.#versions),
      expiresAt: now + options.ttl,
      index,
      kind: kindOf(key, index),
      bytes: ENTRY_BYTES + 2 * (key.length + value.length + lengthOf(index)),
    };
    this.delete(key);
    this.#bytes += entry.bytes;
    this.#entries.set(key, entry);
    const crowd = this.#crowd(entry.kind);
    crowd.keys.add(key);
    crowd.bytes += entry.bytes;
    for (const name of index) {
      let keys = this.#keysByName.get(name);
      if (keys === undefined) this.#keysByName.set(name, keys = new Set());
      keys.add(key);
      if (keys.size > MANY && isUserName(name)) this.#crowdedUsers.add(name);
    }
    this.#evict(entry);
    return this.#entries.has(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
    const crowd = this.#crowd(entry.kind);
    crowd.keys.delete(key);
    crowd.bytes -= entry.bytes;
    for (const name of entry.index) {
      const keys = this.#keysByName.get(name);
      // A name can be there twice.
      if (keys === undefined) continue;
      keys.delete(key);
      if (keys.size <= MANY) this.#crowdedUsers.delete(name);
      if (keys.size === 0) this.#keysByName.delete(name);
    }
  }

  byIndex(name: string): string[] {
    const now = this.#now();
    return [...this.#keysByName.get(name) ?? []]
      .filter((key) => this.#live(key, now) !== undefined);
  }

  sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt <= now) this.delete(key);
    }
  }

  #live(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > now ? entry : undefined;
  }

  #evict(newest: Entry): void {
    while (
      this.#entries.size > this.#maxRecords || this.#bytes > this.#maxBytes
    ) this.delete(this.#victim(newest));
  }

  /** Whose turn it is to go. */
  #victim({ index, kind }: Entry): string {
    // Who logs in over and over pushes out his own sessions, nobody else's; and
    // who needs room has it from him.
    const [crowded] = this.#crowdedUsers;
    const user = index.find((name) => this.#crowdedUsers.has(name)) ?? crowded;
    if (user !== undefined) return oldestOf(this.#keysByName.get(user)!);
    const { keys } = this.#largestCrowd();
    if (keys === this.#crowd(kind).keys) {
      // The same holds for one-time tokens.
      for (const name of index) {
        const named = this.#keysByName.get(name);
        if (named === undefined || named.size <= MANY) continue;
        for (const key of named) if (keys.has(key)) return key;
      }
    }
    return oldestOf(keys);
  }

  #crowd(kind: Kind): Crowd {
    let crowd = this.#crowds.get(kind);
    if (crowd === undefined) {
      this.#crowds.set(kind, crowd = { keys: new Set(), bytes: 0 });
    }
    return crowd;
  }

  /**
   * Returns the largest kind of all that strangers can cause, by number or by
   * bytes, of which there are too many: a flood of one kind leaves the others
   * their room. Logins are the last.
   */
  #largestCrowd(): Crowd {
    const isNumber = this.#entries.size > this.#maxRecords;
    const sizeOf = ({ bytes, keys }: Crowd) => isNumber ? keys.size : bytes;
    let largest: Crowd | undefined;
    for (const [kind, crowd] of this.#crowds) {
      if (kind === "login" || crowd.keys.size === 0) continue;
      if (largest === undefined || sizeOf(crowd) > sizeOf(largest)) {
        largest = crowd;
      }
    }
    return largest ?? this.#crowd("login");
  }
}

/** Tells a login, which nothing but another login may push out. */
function kindOf(key: string, index: readonly string[]): Kind {
  if (index.length === 0) {
    const [count] = /^throttle:[a-z]+(?=:)/.exec(key) ?? [];
    return count as Kind | undefined ?? "plain";
  }
  return index.some(isUserName) ? "login" : "indexed";
}

function isUserName(name: string): boolean {
  return name.startsWith(USER_PREFIX);
}

/** The key that came into a set first. There has to be one. */
function oldestOf(keys: ReadonlySet<string>): string {
  const [oldest] = keys;
  return oldest!;
}

function lengthOf(names: readonly string[]): number {
  return names.reduce((sum, { length }) => sum + length, 0);
}
