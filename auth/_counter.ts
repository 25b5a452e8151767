import { callStore } from "../session/internal.ts";
import type { SessionStore, StoredValue } from "../session/mod.ts";
import type { ThrottleLimit } from "./_throttle_limits.ts";

/** Where counts are kept. */
export interface CounterConfig {
  readonly store: SessionStore;
  /** Milliseconds that the store may take for an answer. */
  readonly storeTimeout: number;
  readonly now: () => number;
}

/** What is stored of a count. */
interface Count {
  /** The latest one last. */
  readonly slices: readonly Slice[];
  /** When the next attempt may be made. Epoch milliseconds. */
  readonly blockedUntil: number;
}

/**
 * The failures of one slice of time: when the last of them was, in epoch
 * milliseconds, and how many there are. They are forgotten together.
 */
type Slice = readonly [last: number, failures: number];

/** The outcome of counting one attempt. */
export type Counted =
  | {
    readonly allowed: true;
    /** Takes the attempt back, and what else a right one excuses. */
    readonly succeed: () => Promise<void>;
    /** Takes the attempt back alone. */
    readonly cancel: () => Promise<void>;
  }
  | { readonly allowed: false; readonly wait: number };

/** One count. */
export interface CountAt {
  /** The milliseconds until the next attempt may be made. */
  wait(): Promise<number>;
  /** Counts an attempt, unless it has to wait. */
  add(): Promise<Counted>;
  /** Forgets the failures. */
  clear(): Promise<void>;
}

/** How often a count that others change at the same time is tried. */
const maxTries = 20;

/**
 * How many slices a window has: a failure counts for the whole window, and at
 * most a tenth longer.
 */
const slicesPerWindow = 10;

const nothing: Count = { slices: [], blockedUntil: 0 };

/** Counts of failures in a session store, by compare-and-swap. */
export class Counter {
  readonly #store: SessionStore;
  readonly #storeTimeout: number;
  readonly #now: () => number;
  readonly #limit: ThrottleLimit;

  constructor(config: CounterConfig, limit: ThrottleLimit) {
    this.#store = config.store;
    this.#storeTimeout = config.storeTimeout;
    this.#now = config.now;
    this.#limit = limit;
  }

  /**
   * The count under a key. A right attempt clears the count, or is only
   * subtracted: one right password must not excuse the guesses at other
   * accounts.
   */
  at(key: string, whenRight: "clear" | "decrement"): CountAt {
    return {
      wait: async () => this.#waitOf(parse((await this.#get(key))?.value)),
      add: () => this.#add(key, whenRight),
      clear: () => this.#clear(key),
    };
  }

  async #clear(key: string): Promise<void> {
    await this.#call(() => this.#store.delete(key));
  }

  async #add(key: string, whenRight: "clear" | "decrement"): Promise<Counted> {
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#get(key);
      const count = this.#current(found);
      const wait = this.#waitOf(count);
      if (wait > 0) return { allowed: false, wait };
      const now = this.#now();
      const slices = this.#withOneMore(count.slices, now);
      const delay = this.#delayAfter(failuresOf(slices));
      const next = { slices, blockedUntil: delay === 0 ? 0 : now + delay };
      if (await this.#put(key, next, found?.version ?? null)) {
        const cancel = () => this.#subtract(key, next.blockedUntil);
        const succeed = whenRight === "clear" ? () => this.#clear(key) : cancel;
        return { allowed: true, succeed, cancel };
      }
    }
    // So many at once are no one's honest attempts.
    return { allowed: false, wait: this.#limit.delay };
  }

  async #subtract(key: string, blockedUntil: number): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#get(key);
      if (found === null) return;
      const count = this.#current(found);
      const next = {
        slices: withOneLess(count.slices),
        // The delay that this attempt caused, not that of a later failure.
        blockedUntil: count.blockedUntil === blockedUntil
          ? 0
          : count.blockedUntil,
      };
      if (await this.#put(key, next, found.version)) return;
    }
  }

  /** What still counts of what is stored. */
  #current(found: StoredValue | null): Count {
    const { slices, blockedUntil } = parse(found?.value);
    const now = this.#now();
    const { window } = this.#limit;
    // Failures of the far future were counted before the clock was set back.
    const counts = ([last]: Slice) => Math.abs(now - last) < window;
    return { slices: slices.filter(counts), blockedUntil };
  }

  /**
   * The milliseconds until the next attempt, of the longest delay at most. A
   * delay that ends a little later than that is of a machine whose clock is
   * ahead; one that ends much later is of a clock that was set back.
   */
  #waitOf({ blockedUntil }: Count): number {
    const { maxDelay } = this.#limit;
    const wait = blockedUntil - this.#now();
    return wait > 2 * maxDelay ? 0 : Math.min(Math.max(0, wait), maxDelay);
  }

  #withOneMore(slices: readonly Slice[], now: number): Slice[] {
    const length = this.#limit.window / slicesPerWindow;
    const numberOf = (time: number) => Math.floor(time / length);
    const others = slices.filter(([last]) => numberOf(last) !== numberOf(now));
    return [...others, [now, failuresOf(slices) - failuresOf(others) + 1]];
  }

  #put(key: string, count: Count, ifVersion: string | null) {
    const { window, maxDelay } = this.#limit;
    const value = JSON.stringify([count.slices, count.blockedUntil]);
    const ttl = window + maxDelay;
    return this.#call(() => this.#store.put(key, value, { ttl, ifVersion }));
  }

  #get(key: string) {
    return this.#call(() => this.#store.get(key));
  }

  #call<Value>(call: () => Value | Promise<Value>): Value | Promise<Value> {
    return callStore("throttle", call, this.#storeTimeout);
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

function parse(text: string | undefined): Count {
  if (text === undefined) return nothing;
  try {
    const [slices, blockedUntil] = JSON.parse(text);
    return slices.every(isSlice) && Number.isFinite(blockedUntil)
      ? { slices, blockedUntil }
      : nothing;
  } catch {
    return nothing;
  }
}

function isSlice([last, failures]: readonly unknown[]): boolean {
  return Number.isFinite(last) && Number.isSafeInteger(failures);
}
