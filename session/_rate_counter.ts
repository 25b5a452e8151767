import { SingleFlight } from "../router/internal.ts";
import type { SessionStore, StoredValue } from "./store.ts";
import { callStore } from "./timeouts.ts";

/** The store, the limit and the clock of a counter. */
export interface RateCounterConfig {
  readonly store: SessionStore;
  /** The timeout of each call to the store, in milliseconds. */
  readonly storeTimeout: number;
  /** The units in a window. */
  readonly limit: number;
  /** The window, in milliseconds. */
  readonly window: number;
  readonly now: () => number;
}

/** The decision about one request. */
export interface RateDecision {
  /** Milliseconds until the request may be sent; 0 if it may pass. */
  readonly wait: number;
  /** The units that are available now. */
  readonly available: number;
  /** Milliseconds until one more unit is available. */
  readonly nextUnit: number;
}

/** A request that waits for its decision. */
interface Waiting {
  readonly cost: number;
  decision?: RateDecision;
}

/** The requests of one key that wait. */
interface Queue {
  readonly flight: SingleFlight<void>;
  readonly waiting: Set<Waiting>;
}

/** The further tries to change a count that other machines change too. */
const MAX_TRIES = 99;

/** Sums of fractions are not exact. */
const ROUNDING = 1e-9;

/**
 * Counts units with GCRA, in its form of a leaky bucket: a level rises by the cost
 * of each request, and falls by `limit` in each window.
 *
 * The concurrent requests of one key share one compare-and-swap. Otherwise 1,000
 * of them would need 100,000 calls, because each write makes all others fail.
 */
export class RateCounter {
  readonly #config: RateCounterConfig;
  readonly #queues = new Map<string, Queue>();
  /**
   * `false` once the store has returned a promise. A store in memory needs no
   * queue, because nothing comes between its calls. Saves 1 µs per request.
   */
  #isImmediate = true;

  constructor(config: RateCounterConfig) {
    this.#config = config;
  }

  /**
   * Decides about a request and counts it if it may pass.
   *
   * @throws {SessionStoreError} If the store fails.
   */
  async count(key: string, cost: number): Promise<RateDecision> {
    const request: Waiting = { cost };
    const isDecided = this.#isImmediate && await this.#decide(key, [request]);
    if (!isDecided) await this.#queue(key, request);
    return request.decision!;
  }

  /** Decides about a request together with the others that wait for its key. */
  async #queue(key: string, request: Waiting): Promise<void> {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      const flight = new SingleFlight<void>(this.#config.storeTimeout);
      queue = { flight, waiting: new Set() };
      this.#queues.set(key, queue);
    }
    const { flight, waiting } = queue;
    waiting.add(request);
    try {
      // A run that began before does not include this request.
      while (request.decision === undefined) {
        await flight.run(() => this.#decideAll(key, waiting));
      }
    } finally {
      waiting.delete(request);
      if (waiting.size === 0) this.#queues.delete(key);
    }
  }

  /** Decides about all requests that wait. */
  async #decideAll(key: string, waiting: Set<Waiting>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.#decide(key, waiting)) return;
    }
    // Many machines count at once.
    const { limit } = this.#config;
    for (const request of waiting) {
      request.decision ??= this.#decision(limit, request.cost);
    }
  }

  /**
   * Decides about requests, in order. Resolves to `false` if another machine was
   * faster.
   */
  async #decide(key: string, waiting: Iterable<Waiting>): Promise<boolean> {
    const { now, store } = this.#config;
    const read = this.#call(() => store.get(key));
    const found = read instanceof Promise ? await read : read;
    const requests = [...waiting].filter((one) => one.decision === undefined);
    const [before, time] = this.#stateOf(found, now());
    let level = before;
    const decisions = requests.map(({ cost }) => {
      const excess = this.#excess(level + cost);
      if (excess === 0) level += cost;
      return this.#decision(level, excess);
    });
    const put = level === before || this.#put(key, level, time, found);
    const isStored = put instanceof Promise ? await put : put;
    if (isStored) {
      requests.forEach((one, index) => one.decision = decisions[index]);
    }
    return isStored;
  }

  /** Returns the units by which a level is too high. */
  #excess(level: number): number {
    const excess = level - this.#config.limit;
    return excess > ROUNDING ? excess : 0;
  }

  #decision(level: number, excess: number): RateDecision {
    const { limit, window } = this.#config;
    const unit = window / limit;
    const available = Math.floor(limit - level + ROUNDING);
    const nextUnit = (level - limit + available + 1) * unit;
    return { wait: excess * unit, available, nextUnit };
  }

  /**
   * Returns the level and its time. An invalid value counts as none.
   *
   * The time never goes back: otherwise a machine with a fast clock would count
   * the time again that passed for one with a slow clock.
   */
  #stateOf(
    found: StoredValue | null,
    time: number,
  ): readonly [level: number, time: number] {
    const { limit, window } = this.#config;
    const [level = NaN, storedAt = NaN] = (found?.value ?? "").split(" ")
      .map(Number);
    // A time in the far future was stored before the clock was set back.
    if (!(level >= 0 && storedAt <= time + window)) return [0, time];
    const elapsed = Math.max(0, time - storedAt);
    const rest = Math.min(level, limit) - elapsed * limit / window;
    return [Math.max(0, rest), Math.max(time, storedAt)];
  }

  #put(
    key: string,
    level: number,
    time: number,
    found: StoredValue | null,
  ): boolean | Promise<boolean> {
    const { limit, store, window } = this.#config;
    const ttl = Math.ceil(level * window / limit);
    const options = { ttl, ifVersion: found?.version ?? null };
    return this.#call(() => store.put(key, `${level} ${time}`, options));
  }

  #call<Value>(call: () => Value | Promise<Value>): Value | Promise<Value> {
    const { storeTimeout } = this.#config;
    const result = callStore("rate-limit", call, storeTimeout);
    if (result instanceof Promise) this.#isImmediate = false;
    return result;
  }
}
