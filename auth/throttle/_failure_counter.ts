import { type CallStore, MAX_SKEW } from "../../session/internal.ts";
import type { StoredValue } from "../../session/mod.ts";
import type { ThrottleLimit } from "./limits.ts";

/** The store and the clock of a throttle. */
export interface ThrottleConfig {
  readonly callStore: CallStore;
  readonly now: () => number;
}

/** The stored form of a count. */
interface Count {
  /** The slices, with the latest at the end. */
  readonly slices: readonly Slice[];
  /** The time of the next possible attempt, in epoch milliseconds. */
  readonly blockedUntil: number;
}

/**
 * The failures in one slice of time: the time of the last one, in epoch
 * milliseconds, and their number. They expire together.
 */
type Slice = readonly [last: number, failures: number];

/** The result of counting one attempt. */
export type CountedAttempt =
  | {
    readonly allowed: true;
    /** Takes the attempt back, and earlier ones if a success clears them. */
    readonly succeed: () => Promise<void>;
    /** Takes only this attempt back. */
    readonly cancel: () => Promise<void>;
  }
  | { readonly allowed: false; readonly wait: number };

/** The count under one key. */
export interface FailureCount {
  /** Returns the milliseconds until the next attempt may be made. */
  wait(): Promise<number>;
  /** Counts an attempt, unless it has to wait. */
  add(): Promise<CountedAttempt>;
  /** Forgets the failures. */
  clear(): Promise<void>;
}

/** The number of tries to change a count that other requests change too. */
const MAX_TRIES = 20;

/**
 * The slices in a window. A failure counts for the whole window, and at most a
 * tenth longer.
 */
const SLICES_PER_WINDOW = 10;

const NO_FAILURES: Count = { slices: [], blockedUntil: 0 };

/** Counts failures in a session store, by compare-and-swap. */
export class FailureCounter {
  readonly #call: CallStore;
  readonly #now: () => number;
  readonly #limit: ThrottleLimit;

  constructor(config: ThrottleConfig, limit: ThrottleLimit) {
    this.#call = config.callStore;
    this.#now = config.now;
    this.#limit = limit;
  }

  /** Returns the count under a key, which a success clears or decrements. */
  at(key: string, onSuccess: "clear" | "decrement"): FailureCount {
    let read: StoredValue | null | undefined;
    return {
      wait: async () => {
        read = await this.#get(key);
        return this.#waitOf(parseCount(read?.value));
      },
      add: () => this.#add(key, onSuccess, read),
      clear: () => this.#clear(key),
    };
  }

  async #clear(key: string): Promise<void> {
    await this.#call("throttle", (store) => store.delete(key));
  }

  async #add(
    key: string,
    onSuccess: "clear" | "decrement",
    read: StoredValue | null | undefined,
  ): Promise<CountedAttempt> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = tries === 0 && read !== undefined
        ? read
        : await this.#get(key);
      const count = this.#current(found);
      const wait = this.#waitOf(count);
      if (wait > 0) return { allowed: false, wait };
      const now = this.#now();
      const slices = this.#withOneMore(count.slices, now);
      const delay = this.#delayAfter(failuresOf(slices));
      const next = { slices, blockedUntil: delay === 0 ? 0 : now + delay };
      if (await this.#put(key, next, found?.version ?? null)) {
        const cancel = () => this.#subtract(key, next.blockedUntil);
        const succeed = onSuccess === "clear" ? () => this.#clear(key) : cancel;
        return { allowed: true, succeed, cancel };
      }
    }
    // Honest clients do not make so many concurrent attempts.
    return { allowed: false, wait: this.#limit.delay };
  }

  async #subtract(key: string, blockedUntil: number): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.#get(key);
      if (found === null) return;
      const count = this.#current(found);
      const next = {
        slices: withOneLess(count.slices),
        // Removes only the delay that this attempt caused.
        blockedUntil: count.blockedUntil === blockedUntil
          ? 0
          : count.blockedUntil,
      };
      if (await this.#put(key, next, found.version)) return;
    }
  }

  /** Returns the count without the expired failures. */
  #current(found: StoredValue | null): Count {
    const { slices, blockedUntil } = parseCount(found?.value);
    const now = this.#now();
    const { window } = this.#limit;
    const counts = ([last]: Slice) =>
      now - last < window && last - now < Math.max(window, MAX_SKEW);
    return { slices: slices.filter(counts), blockedUntil };
  }

  /**
   * Returns the milliseconds until the next attempt, at most the longest delay.
   * A delay that ends later comes from a machine whose clock is ahead. If it ends
   * much later, the clock was set back.
   */
  #waitOf({ blockedUntil }: Count): number {
    const { maxDelay } = this.#limit;
    const wait = blockedUntil - this.#now();
    const longest = maxDelay + Math.max(maxDelay, MAX_SKEW);
    return wait > longest ? 0 : Math.min(Math.max(0, wait), maxDelay);
  }

  /** Adds a failure now, or at the latest time of a machine whose clock is ahead. */
  #withOneMore(slices: readonly Slice[], time: number): Slice[] {
    const now = Math.max(time, ...slices.map(([last]) => last));
    const length = this.#limit.window / SLICES_PER_WINDOW;
    const numberOf = (time: number) => Math.floor(time / length);
    const others = slices.filter(([last]) => numberOf(last) !== numberOf(now));
    return [...others, [now, failuresOf(slices) - failuresOf(others) + 1]];
  }

  #put(key: string, count: Count, ifVersion: string | null) {
    const { window, maxDelay } = this.#limit;
    const value = JSON.stringify([count.slices, count.blockedUntil]);
    const ttl = window + maxDelay;
    const options = { ttl, ifVersion };
    return this.#call("throttle", (store) => store.put(key, value, options));
  }

  #get(key: string) {
    return this.#call("throttle", (store) => store.get(key));
  }

  #delayAfter(failures: number): number {
    const { attempts, delay, maxDelay } = this.#limit;
    if (failures < attempts) return 0;
    return Math.min(delay * 2 ** Math.min(failures - attempts, 50), maxDelay);
  }
}

function failuresOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, [, failures]) => sum + failures, 0);
}

function withOneLess(slices: readonly Slice[]): readonly Slice[] {
  const latest = slices.at(-1);
  if (latest === undefined) return slices;
  const [last, failures] = latest;
  const others = slices.slice(0, -1);
  return failures > 1 ? [...others, [last, failures - 1]] : others;
}

function parseCount(json: string | undefined): Count {
  if (json === undefined) return NO_FAILURES;
  try {
    const [slices, blockedUntil] = JSON.parse(json);
    return slices.every(isSlice) && Number.isFinite(blockedUntil)
      ? { slices, blockedUntil }
      : NO_FAILURES;
  } catch {
    return NO_FAILURES;
  }
}

function isSlice([last, failures]: readonly unknown[]): boolean {
  return Number.isFinite(last) && Number.isSafeInteger(failures);
}
