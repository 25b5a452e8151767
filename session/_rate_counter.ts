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

/** The further tries to change a count that other machines change too. */
const MAX_TRIES = 99;

/** Sums of fractions are not exact. */
const ROUNDING = 1e-9;

/**
 * Creates a function that decides about a request, and counts it if it may pass.
 *
 * It uses GCRA, in its form of a leaky bucket: a level rises by the cost of each
 * request, and falls by `limit` in each window. The function rejects with a
 * `SessionStoreError` if the store fails.
 *
 * The concurrent requests of one key share one compare-and-swap. Otherwise 1,000
 * of them would need 100,000 calls, because each write makes all others fail.
 */
export function createRateCounter(
  { limit, now, store, storeTimeout, window }: RateCounterConfig,
): (key: string, cost: number) => Promise<RateDecision> {
  const queues = new Map<string, Queue>();
  /** Milliseconds in which the level falls by one. */
  const unit = window / limit;
  /**
   * `false` once the store has returned a promise. A store in memory needs no
   * queue, because nothing comes between its calls. Saves 1 µs per request.
   */
  let isImmediate = true;

  function callOnce<Value>(call: () => Value | Promise<Value>) {
    const result = callStore("rate-limit", call, storeTimeout);
    if (result instanceof Promise) isImmediate = false;
    return result;
  }

  function decisionFor(level: number, excess: number): RateDecision {
    const available = Math.floor(limit - level + ROUNDING);
    const nextUnit = (level - limit + available + 1) * unit;
    return { wait: excess * unit, available, nextUnit };
  }

  /**
   * Returns the level and its time. An invalid value counts as none.
   *
   * The time never goes back: otherwise a machine with a fast clock would count
   * the time again that passed for one with a slow clock. After a clock was set
   * back, the store ends the count when its lifetime is over.
   */
  function stateOf(
    found: StoredValue | null,
    time: number,
  ): readonly [level: number, time: number] {
    const [level = NaN, storedAt = NaN] = found?.value.split(" ").map(Number) ??
      [];
    if (!(level >= 0 && storedAt < Infinity)) return [0, time];
    const elapsed = Math.max(0, time - storedAt);
    const rest = Math.min(level, limit) - elapsed / unit;
    return [Math.max(0, rest), Math.max(time, storedAt)];
  }

  /**
   * Decides about requests, in order. Resolves to `false` if another machine was
   * faster.
   */
  async function decide(
    key: string,
    waiting: Iterable<Waiting>,
  ): Promise<boolean> {
    const read = callOnce(() => store.get(key));
    const found = read instanceof Promise ? await read : read;
    const requests = [...waiting].filter((one) => one.decision === undefined);
    const ownTime = now();
    const [before, time] = stateOf(found, ownTime);
    let level = before;
    const decisions = requests.map(({ cost }) => {
      const excess = Math.max(0, level + cost - limit - ROUNDING);
      if (excess === 0) level += cost;
      return decisionFor(level, excess);
    });
    const options = {
      // In some stores, each machine ends lifetimes by its own clock.
      ttl: Math.ceil(level * unit + Math.min(time - ownTime, MAX_SKEW)),
      ifVersion: found?.version ?? null,
    };
    const put = level === before ||
      callOnce(() => store.put(key, `${level} ${time}`, options));
    const isStored = put instanceof Promise ? await put : put;
    if (isStored) {
      requests.forEach((one, index) => one.decision = decisions[index]);
    }
    return isStored;
  }

  /** Decides about all requests that wait. */
  async function decideAll(key: string, waiting: Set<Waiting>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await decide(key, waiting)) return;
    }
    // Many machines count at once.
    for (const request of waiting) {
      request.decision ??= decisionFor(limit, request.cost);
    }
  }

  /** Decides about a request together with the others that wait for its key. */
  async function decideTogether(key: string, request: Waiting): Promise<void> {
    const queue = queues.get(key) ??
      { flight: new SingleFlight(storeTimeout), waiting: new Set() };
    queues.set(key, queue);
    const { flight, waiting } = queue;
    waiting.add(request);
    try {
      // A run that began before does not include this request.
      while (request.decision === undefined) {
        await flight.run(() => decideAll(key, waiting));
      }
    } finally {
      waiting.delete(request);
      if (waiting.size === 0) queues.delete(key);
    }
  }

  return async (key, cost) => {
    const request: Waiting = { cost };
    const isDecided = isImmediate && await decide(key, [request]);
    if (!isDecided) await decideTogether(key, request);
    return request.decision!;
  };
}
