import { SessionStoreError } from "../errors.ts";
import type { SessionStore } from "../store.ts";
import { isMemoryStore } from "../stores/memory.ts";
import { callStore } from "../timeouts.ts";
import type { CallStore } from "./_id_rotation.ts";

/**
 * The milliseconds from which a failed call can mean an outage. Faster failures,
 * such as a refused connection, make no request wait.
 */
const SLOW = 100;

/** The milliseconds between two attempts to reach a store that is down. */
const PAUSE = 1_000;

/**
 * Makes calls to a store fail at once while the store is down. Otherwise each of
 * them would wait for its timeout.
 *
 * A store is down if a call failed slowly and no other call succeeded in the
 * meantime. So one slow session, which a client may cause, is not an outage.
 * After a pause, one call tries whether the store answers again.
 */
export class CircuitBreaker {
  // Not the time of the last success: the clock of Workers only moves on I/O.
  #successes = 0;
  /** The error that began the outage, or `undefined` while the store is up. */
  #outage: SessionStoreError | undefined;
  #pausedUntil = 0;
  /** `true` while a call tries the store. */
  #isTrying = false;

  /**
   * Makes a call, unless the store is down.
   *
   * @param call The call, which throws only a `SessionStoreError`.
   * @throws {SessionStoreError} If the call fails or the store is down.
   */
  async run<Value>(
    verb: string,
    call: () => Value | Promise<Value>,
  ): Promise<Value> {
    const begunAt = performance.now();
    const successes = this.#successes;
    const isTrial = this.#outage !== undefined;
    if (isTrial && (this.#isTrying || begunAt < this.#pausedUntil)) {
      throw new SessionStoreError(verb, { cause: this.#outage!.cause });
    }
    if (isTrial) this.#isTrying = true;
    try {
      const value = await call();
      this.#successes++;
      this.#outage = undefined;
      return value;
    } catch (error) {
      const now = performance.now();
      const isSlow = now - begunAt >= SLOW;
      if (isTrial || isSlow && this.#successes === successes) {
        this.#outage = error as SessionStoreError;
        this.#pausedUntil = now + PAUSE;
      }
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }
}

/** The breakers of stores. All middleware and throttles on a store share one. */
const breakers = /* @__PURE__ */ new WeakMap<SessionStore, CircuitBreaker>();

/**
 * Returns the breaker of a store, or `undefined` for a store in memory, which
 * cannot be down.
 */
export function breakerOf(store: SessionStore): CircuitBreaker | undefined {
  if (isMemoryStore(store)) return undefined;
  let breaker = breakers.get(store);
  if (breaker === undefined) {
    breakers.set(store, breaker = new CircuitBreaker());
  }
  return breaker;
}

/**
 * Returns a function that calls a store with a timeout, and fails at once while
 * the store is down.
 */
export function storeCaller(store: SessionStore, timeout: number): CallStore {
  const breaker = breakerOf(store);
  return (verb, call) => callStore(verb, () => call(store), timeout, breaker);
}
