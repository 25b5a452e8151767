interface Entry<Value> {
  readonly value: Value;
  readonly at: number;
  readonly until: number;
}

/** A cache with a maximum number of entries, each of which expires. */
export class ResultCache<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    // Not in the future either: the clock was wrong.
    if (entry && entry.at <= now && now < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, now: number, until: number): void {
    if (until <= now || this.#maxEntries === 0) return;
    this.#entries.delete(key);
    // Insertion order: the first key is the oldest.
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#maxEntries) {
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, at: now, until });
  }
}
