/** Milliseconds between two requests to a server if the first one failed. */
export const RETRY_AFTER = 5_000;

/** A time after a failure in which no request asks the server again. */
export class RetryPause {
  readonly #now: () => number;
  #at = -Infinity;
  #length = 0;

  /** @param now The clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `true` from the first {@linkcode start} until {@linkcode clear}. */
  get isSet(): boolean {
    return this.#at !== -Infinity;
  }

  /**
   * `true` during the pause. A start in the future comes from a clock that was
   * wrong.
   */
  get isRunning(): boolean {
    const age = this.#now() - this.#at;
    return age >= 0 && age < this.#length;
  }

  /** Starts the pause, or starts it again. */
  start(length: number = RETRY_AFTER): void {
    this.#at = this.#now();
    this.#length = length;
  }

  /** Ends the pause, because the server answered. */
  clear(): void {
    this.#at = -Infinity;
  }
}
