/**
 * Work that one request does for all who ask meanwhile.
 *
 * Nobody waits for it for ever: Workers drop a request whose client left, with
 * its timers and its `finally`, and what it was doing never ends. Whoever has
 * waited long enough does it too, and all take what ends first: it may have been
 * slow and not lost.
 */
export class SharedWork<Value> {
  readonly #patience: number;
  #current: { promise: Promise<Value>; readonly end: number } | undefined;

  /** @param patience Milliseconds from its beginning until it counts as lost. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Whether somebody has begun and not ended. */
  get isBegun(): boolean {
    return this.#current !== undefined;
  }

  /** Waits for who has begun, or begins. */
  async run(work: () => Promise<Value>): Promise<Value> {
    while (this.#current !== undefined) {
      const { end, promise } = this.#current;
      const left = Math.min(end - Date.now(), this.#patience);
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
    return await this.#begin(work);
  }

  async #begin(work: () => Promise<Value>): Promise<Value> {
    const begun = this.#current === undefined ? [] : [this.#current.promise];
    const promise = Promise.race([...begun, work()]);
    const current = { promise, end: Date.now() + this.#patience };
    this.#current = current;
    try {
      return await promise;
    } finally {
      if (this.#current === current) this.#current = undefined;
    }
  }
}

const LOST = /* @__PURE__ */ Symbol();
