import { SingleFlight } from "../router/internal.ts";
import type { SessionStore, StoredValue } from "./store.ts";
import { callStore, MAX_SKEW } from "./timeouts.ts";

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

/** The attempts to change a count that other machines change too. */
const MAX_TRIES = 100;

/** Sums of fractions are not exact. */
const ROUNDING = 1e-9;

/**
 * Decides about requests, and counts those that may pass.
 *
 * It uses GCRA, in its form of a leaky bucket: a level rises by the cost of each
 * request, and falls by `limit` in each window.
 *
 * The concurrent requests of one key share one compare-and-swap. Without this,
 * 1,000 requests would need 100,000 calls, because each write makes all others
 * fail.
 */
export class RateCounter {
  readonly #config: RateCounterConfig;
  readonly #queues = new Map<string, Queue>();
  /** Milliseconds in which the level falls by one. */
  readonly #unit: number;

  constructor(config: RateCounterConfig) {
    this.#config = config;
    this.#unit = config.window / config.limit;
  }

  /**
   * Decides about a request together with the others that wait for its key.
   *
   * @throws {SessionStoreError} If the store fails.
   */
  async decide(key: string, cost: number): Promise<RateDecision> {
    const request: Waiting = { cost };
    const queue = this.#queues.get(key) ??
      {
        flight: new SingleFlight(this.#config.storeTimeout),
        waiting: new Set(),
      };
    this.#queues.set(key, queue);
    const { flight, waiting } = queue;
    waiting.add(request);
    try {
      // A run that began earlier does not include this request.
      while (request.decision === undefined) {
        await flight.run(() => this.#decideAll(key, waiting));
      }
      return request.decision;
    } finally {
      waiting.delete(request);
      if (waiting.size === 0) this.#queues.delete(key);
    }
  }

  /** Decides about all requests that wait. */
  async #decideAll(key: string, waiting: Set<Waiting>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.#tryDecide(key, waiting)) return;
    }
    // Many machines count at once.
    for (const request of waiting) {
      const { limit } = this.#config;
      request.decision ??= this.#decisionFor(limit, request.cost);
    }
  }

  /**
   * Decides about requests, in order. Resolves to `false` if another machine
   * changed the count first.
   */
  async #tryDecide(key: string, waiting: Set<Waiting>): Promise<boolean> {
    const { limit, now, store } = this.#config;
    const found = await this.#call(() => store.get(key));
    const requests = [...waiting].filter((one) => one.decision === undefined);
    const ownTime = now();
    const [before, time] = this.#stateOf(found, ownTime);
    let level = before;
    const decisions = requests.map(({ cost }) => {
      const excess = Math.max(0, level + cost - limit - ROUNDING);
      if (excess === 0) level += cost;
      return this.#decisionFor(level, excess);
    });
    const options = {
      // In some stores, each machine ends lifetimes by its own clock.
      ttl: Math.ceil(level * this.#unit + Math.min(time - ownTime, MAX_SKEW)),
      ifVersion: found?.version ?? null,
    };
    const isStored = level === before ||
      await this.#call(() => store.put(key, `${level} ${time}`, options));
    if (isStored) {
      requests.forEach((one, index) => one.decision = decisions[index]);
    }
    return isStored;
  }

  #call<Value>(call: () => Value | Promise<Value>): Value | Promise<Value> {
    return callStore("rate-limit", call, this.#config.storeTimeout);
  }

  #decisionFor(level: number, excess: number): RateDecision {
    const { limit } = this.#config;
    const available = Math.floor(limit - level + ROUNDING);
    const nextUnit = (level - limit + available + 1) * this.#unit;
    return { wait: excess * this.#unit, available, nextUnit };
  }

  /**
   * Returns the level and its time. An invalid value counts as none.
   *
   * The time never goes back. If it did, a machine with a fast clock would
   * count time twice that had already passed for a slow clock. After a clock
   * was set back, the store ends the count when its lifetime is over.
   */
  #stateOf(
    found: StoredValue | null,
    time: number,
  ): readonly [level: number, time: number] {
    const [level = NaN, storedAt = NaN] = found?.value.split(" ").map(Number) ??
      [];
    if (!(level >= 0 && storedAt < Infinity)) return [0, time];
    const elapsed = Math.max(0, time - storedAt);
    const rest = Math.min(level, this.#config.limit) - elapsed / this.#unit;
    return [Math.max(0, rest), Math.max(time, storedAt)];
  }
}
