import type { SessionStore } from "../session/mod.ts";

/** When what is counted has to wait, in milliseconds. */
export interface CounterLimit {
  readonly attempts: number;
  readonly delay: number;
  readonly maxDelay: number;
  readonly window: number;
}

/** What is stored of a count. */
interface Count {
  readonly failures: number;
  /** When the next attempt may be made. Epoch milliseconds. */
  readonly blockedUntil: number;
}

/** The outcome of counting one attempt. */
export type Counted =
  | { readonly allowed: true; readonly undo: () => Promise<void> }
  | { readonly allowed: false; readonly wait: number };

/** One count. */
export interface CountAt {
  /** The milliseconds until the next attempt may be made. */
  wait(): Promise<number>;
  /** Counts an attempt, unless it has to wait. */
  add(): Promise<Counted>;
}

/** How often a count that others change at the same time is tried. */
const maxTries = 20;

const nothing: Count = { failures: 0, blockedUntil: 0 };

/** Counts of failures in a session store, by compare-and-swap. */
export class Counter {
  readonly #store: SessionStore;
  readonly #now: () => number;
  readonly #limit: CounterLimit;

  constructor(store: SessionStore, now: () => number, limit: CounterLimit) {
    this.#store = store;
    this.#now = now;
    this.#limit = limit;
  }

  /**
   * The count under a key. Taking back an attempt clears the count, or only
   * subtracts the attempt: one right password must not excuse the guesses at
   * other accounts.
   */
  at(key: string, undo: "clear" | "decrement"): CountAt {
    return {
      wait: async () => {
        const { blockedUntil } = parse((await this.#store.get(key))?.value);
        return Math.max(0, blockedUntil - this.#now());
      },
      add: () => this.#add(key, undo),
    };
  }

  async #add(key: string, undo: "clear" | "decrement"): Promise<Counted> {
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#store.get(key);
      const count = parse(found?.value);
      const now = this.#now();
      if (count.blockedUntil > now) {
        return { allowed: false, wait: count.blockedUntil - now };
      }
      const failures = count.failures + 1;
      const delay = this.#delayAfter(failures);
      const next = { failures, blockedUntil: delay === 0 ? 0 : now + delay };
      if (await this.#put(key, next, found?.version ?? null)) {
        return {
          allowed: true,
          undo: undo === "clear"
            ? async () => await this.#store.delete(key)
            : () => this.#subtract(key, next.blockedUntil),
        };
      }
    }
    // So many at once are no one's honest attempts.
    return { allowed: false, wait: this.#limit.delay };
  }

  async #subtract(key: string, blockedUntil: number): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#store.get(key);
      if (found === null) return;
      const count = parse(found.value);
      const next = {
        failures: Math.max(0, count.failures - 1),
        // The delay that this attempt caused, not that of a later failure.
        blockedUntil: count.blockedUntil === blockedUntil
          ? 0
          : count.blockedUntil,
      };
      if (await this.#put(key, next, found.version)) return;
    }
  }

  #put(key: string, count: Count, ifVersion: string | null) {
    const { window, maxDelay } = this.#limit;
    const value = JSON.stringify([count.failures, count.blockedUntil]);
    const ttl = window + maxDelay;
    return this.#store.put(key, value, { ttl, ifVersion });
  }

  #delayAfter(failures: number): number {
    const { attempts, delay, maxDelay } = this.#limit;
    if (failures < attempts) return 0;
    return Math.min(delay * 2 ** Math.min(failures - attempts, 50), maxDelay);
  }
}

function parse(text: string | undefined): Count {
  if (text === undefined) return nothing;
  try {
    const [failures, blockedUntil] = JSON.parse(text);
    return Number.isSafeInteger(failures) && Number.isFinite(blockedUntil)
      ? { failures, blockedUntil }
      : nothing;
  } catch {
    return nothing;
  }
}
