import { checkIndex } from "./_index_names.ts";
import type { PutOptions, SessionStore, StoredValue } from "./store.ts";

/** Options for {@linkcode createMemorySessionStore}. */
export interface MemorySessionStoreOptions {
  /**
   * The most values that are kept. Beyond it, those without an index name (the
   * anonymous sessions) go first, the longest unchanged of them at the front.
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

interface Entry extends StoredValue {
  readonly expiresAt: number;
  readonly index: readonly string[];
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
 * It is bounded. A flood of anonymous sessions pushes out anonymous sessions,
 * never those of logged-in users; a flood of logins of one user pushes out that
 * user's sessions.
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
  // Maps keep their order: the longest unchanged entry is the first.
  readonly #anonymous = new Map<string, Entry>();
  readonly #indexed = new Map<string, Entry>();
  readonly #keysByName = new Map<string, Set<string>>();
  #bytes = 0;
  #versions = 0;
  #sweptAt = 0;

  constructor(options: MemorySessionStoreOptions) {
    this.#maxRecords = positive("maxRecords", options.maxRecords ?? 100_000);
    this.#maxBytes = positive("maxBytes", options.maxBytes ?? 64 * 1024 * 1024);
    this.#now = options.now ?? Date.now;
  }

  get(key: string): StoredValue | null {
    return this.#live(key, this.#now()) ?? null;
  }

  put(key: string, value: string, options: PutOptions): boolean {
    const now = this.#now();
    const current = this.#live(key, now);
    if ((current?.version ?? null) !== options.ifVersion) return false;
    if (now - this.#sweptAt >= SWEEP_INTERVAL) this.sweep(now);
    const entry: Entry = {
      value,
      version: String(++this.#versions),
      expiresAt: now + options.ttl,
      index: checkIndex(options.index ?? []),
      bytes: ENTRY_BYTES + 2 * (key.length + value.length),
    };
    this.delete(key);
    this.#bytes += entry.bytes;
    (entry.index.length > 0 ? this.#indexed : this.#anonymous).set(key, entry);
    for (const name of entry.index) {
      this.#keysByName.getOrInsertComputed(name, () => new Set()).add(key);
    }
    this.#evict(entry.index);
    return true;
  }

  delete(key: string): void {
    const entry = this.#anonymous.get(key) ?? this.#indexed.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#anonymous.delete(key);
    this.#indexed.delete(key);
    for (const name of entry.index) {
      const keys = this.#keysByName.get(name);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByName.delete(name);
    }
  }

  byIndex(name: string): string[] {
    const now = this.#now();
    return [...this.#keysByName.get(name) ?? []]
      .filter((key) => this.#live(key, now) !== undefined);
  }

  sweep(now: number): void {
    this.#sweptAt = now;
    for (const entries of [this.#anonymous, this.#indexed]) {
      for (const [key, entry] of entries) {
        if (entry.expiresAt <= now) this.delete(key);
      }
    }
  }

  #live(key: string, now: number): Entry | undefined {
    const entry = this.#anonymous.get(key) ?? this.#indexed.get(key);
    return entry !== undefined && entry.expiresAt > now ? entry : undefined;
  }

  #evict(names: readonly string[]): void {
    while (
      this.#anonymous.size + this.#indexed.size > this.#maxRecords ||
      this.#bytes > this.#maxBytes
    ) {
      const [victim] = this.#victims(names);
      if (victim === undefined) return;
      this.delete(victim);
    }
  }

  /** Who has to go, in this order; `names` are those of the newest entry. */
  #victims(names: readonly string[]): Iterable<string> {
    if (this.#anonymous.size > 0) return this.#anonymous.keys();
    // Who logs in over and over pushes out his own sessions, nobody else's.
    for (const name of names) {
      const keys = this.#keysByName.get(name);
      if (keys !== undefined && keys.size > MANY) return keys;
    }
    return this.#indexed.keys();
  }
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new RangeError(
    `Cannot create session store: ${name} "${value}" is not a positive number`,
  );
}
