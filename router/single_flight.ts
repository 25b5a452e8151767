/**
 * Shares one run of a function between all concurrent callers.
 *
 * Workers drop a request if its client disconnects, with its timers and its
 * `finally`. A run of such a request never ends, so a caller waits for
 * `timeout` milliseconds and then starts another run. All callers get the
 * result of the run that ends first.
 */
export class SingleFlight<Value> {
  readonly #timeout: number;
  #current: { promise: Promise<Value>; readonly end: number } | undefined;

  /** @param timeout Milliseconds after which a run counts as lost. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** `true` if a run has started and not ended. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** Waits for the current run, or starts one. */
  async run(start: () => Promise<Value>): Promise<Value> {
    while (this.#current !== undefined) {
      const { end, promise } = this.#current;
      const left = Math.min(end - Date.now(), this.#timeout);
      if (left <= 0) break;
      const { promise: lost, resolve } = Promise.withResolvers<typeof LOST>();
      const timer = setTimeout(resolve, left, LOST);
      try {
        const outcome = await Promise.race([promise, lost]);
        if (outcome !== LOST) return outcome;
      } finally {
        clearTimeout(timer);
      }
    }
    // The run that was replaced may still end first.
    const other = this.#current;
    const promise = Promise.race([...(other ? [other.promise] : []), start()]);
    const current = { promise, end: Date.now() + this.#timeout };
    this.#current = current;
    try {
      return await promise;
    } finally {
      if (this.#current === current) this.#current = undefined;
    }
  }
}

const LOST = /* @__PURE__ */ Symbol();
