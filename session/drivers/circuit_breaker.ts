import { SessionStoreError } from "../errors.ts";
import type { SessionStore } from "../store.ts";
import { isMemoryStore } from "../stores/in_memory.ts";
import { callStore } from "../timeouts.ts";

/**
 * The milliseconds from which a failed call can mean an outage. Faster failures,
 * such as a refused connection, make no request wait.
 */
const SLOW = 100;

/** The milliseconds between two attempts to reach a store that is down. */
const PAUSE = 1_000;

/** A key that no session has. */
const PROBE = "probe";

/**
 * Makes calls to a store fail at once while the store is down. Without it, each
 * call would wait for its timeout.
 *
 * A store is down if a call failed slowly and no other call succeeded in the
 * meantime. One slow session, which a client may cause, is therefore not an
 * outage. A read of a key that no session has tries at once whether the store
 * answers, and again after each pause.
 */
export class CircuitBreaker {
  // This is a count, not the time of the last success: the clock of Workers
  // only moves on I/O.
  #successes = 0;
  /** The error that began the outage, or `undefined` while the store is up. */
  #outage: SessionStoreError | undefined;
  #pausedUntil = 0;
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /**
   * Makes a call, unless the store is down.
   *
   * @param call The call, which throws only a `SessionStoreError`.
   * @param timeout The timeout of the call in milliseconds.
   * @throws {SessionStoreError} If the call fails or the store is down.
   */
  async run<Value>(
    verb: string,
    call: () => Value | Promise<Value>,
    timeout: number,
  ): Promise<Value> {
    if (this.#outage !== undefined) await this.#try(verb, timeout);
    const begunAt = performance.now();
    const successes = this.#successes;
    try {
      const value = await call();
      this.#successes++;
      this.#outage = undefined;
      return value;
    } catch (error) {
      const now = performance.now();
      if (now - begunAt >= SLOW && this.#successes === successes) {
        this.#outage = error as SessionStoreError;
        this.#pausedUntil = now + PAUSE;
        this.#disprove(this.#outage);
      }
      throw error;
    }
  }

  /**
   * Ends an outage that was only a failure of one session. No call waits for
   * this, so it has no timeout.
   */
  async #disprove(outage: SessionStoreError): Promise<void> {
    try {
      await this.#store.get(PROBE);
    } catch {
      return;
    }
    if (this.#outage !== outage) return;
    this.#successes++;
    this.#outage = undefined;
  }

  /** Ends the outage if the store answers, or throws. */
  async #try(verb: string, timeout: number): Promise<void> {
    if (performance.now() < this.#pausedUntil) {
      throw new SessionStoreError(verb, { cause: this.#outage!.cause });
    }
    // One read runs at a time. It does not depend on a client, which could make
    // each read fail.
    this.#pausedUntil = Infinity;
    try {
      await callStore(verb, () => this.#store.get(PROBE), timeout);
      this.#successes++;
      this.#outage = undefined;
    } finally {
      this.#pausedUntil = performance.now() + PAUSE;
    }
  }
}

/** The breakers of stores. All middleware and throttles on a store share one. */
const breakers = /* @__PURE__ */ new WeakMap<SessionStore, CircuitBreaker>();

/**
 * Returns the breaker of a store, or `undefined` for a store in memory, which
 * cannot be down.
 */
function breakerOf(store: SessionStore): CircuitBreaker | undefined {
  if (isMemoryStore(store)) return undefined;
  let breaker = breakers.get(store);
  if (breaker === undefined) {
    breakers.set(store, breaker = new CircuitBreaker(store));
  }
  return breaker;
}

/** Calls a store. Errors and timeouts become a `SessionStoreError`. */
export type CallStore = <Value>(
  verb: string,
  call: (store: SessionStore) => Value | Promise<Value>,
) => Value | Promise<Value>;

/**
 * Returns a function that calls a store with a timeout, and fails at once while
 * the store is down.
 */
export function storeCaller(store: SessionStore, timeout: number): CallStore {
  const breaker = breakerOf(store);
  return (verb, call) => callStore(verb, () => call(store), timeout, breaker);
}
