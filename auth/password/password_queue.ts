import { PasswordQueueFullError } from "./errors.ts";

/** Options for a password queue. */
export interface PasswordQueueOptions {
  /**
   * The number of concurrent hash computations, at least 1. Each takes the
   * memory of its hash, 19 MiB by default. On Workers, which hash in JavaScript,
   * 1 makes the first responses faster and the last ones no slower.
   *
   * @default {4}
   */
  readonly running?: number;

  /**
   * The number of calls that may wait, at least 0. The queue rejects more.
   *
   * @default {64}
   */
  readonly waiting?: number;

  /**
   * The milliseconds after which a waiting call is rejected, at least 1.
   *
   * @default {10_000}
   */
  readonly longestWait?: number;

  /**
   * The milliseconds after which a running call gives its place to the next, at
   * least 1. The call itself continues.
   *
   * @default {30_000}
   */
  readonly longestRun?: number;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Limits the passwords that are hashed concurrently and those that wait. */
export interface PasswordQueue {
  /**
   * Runs a function, in the order of the calls.
   *
   * @param work The function.
   * @returns The result of the function.
   * @throws {PasswordQueueFullError} If the queue is full, or the call waited too
   * long.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Milliseconds between two checks for timeouts. */
const CHECK_INTERVAL = 500;

/**
 * Creates a queue for passwords.
 *
 * Without a queue, a hundred concurrent logins would take two gigabytes. All
 * calls in a process share one queue unless their options name another.
 *
 * @example Rejecting a call if the queue is full
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import {
 *   createPasswordQueue,
 *   hashPassword,
 *   PasswordQueueFullError,
 * } from "@gatehouse/web/auth/password";
 *
 * const queue = createPasswordQueue({ running: 1, waiting: 0 });
 * const first = hashPassword("correct horse", { queue });
 *
 * await assertRejects(
 *   () => hashPassword("battery staple", { queue }),
 *   PasswordQueueFullError,
 * );
 * await first;
 * ```
 *
 * @param options The limits.
 * @returns The queue.
 * @throws {RangeError} If a limit is too low or not an integer.
 */
export function createPasswordQueue(
  options: PasswordQueueOptions = {},
): PasswordQueue {
  const { running = 4, waiting = 64 } = options;
  const { longestWait = 10_000, longestRun = 30_000, now = Date.now } = options;
  assertAtLeast("running", running, 1);
  assertAtLeast("waiting", waiting, 0);
  assertAtLeast("longestWait", longestWait, 1);
  assertAtLeast("longestRun", longestRun, 1);
  return new LeasedQueue({ running, waiting, longestWait, longestRun, now });
}

function assertAtLeast(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(
    `Cannot create a password queue with ${name} "${value}": it is not a whole number from ${least}`,
  );
}

interface Waiter {
  /** The time at which it has waited too long, in epoch milliseconds. */
  readonly end: number;
  start(): void;
  giveUp(): void;
}

class LeasedQueue implements PasswordQueue {
  readonly #options: Required<PasswordQueueOptions>;
  /** The places in use, and the times at which they expire. */
  readonly #leases = new Map<symbol, number>();
  readonly #waiters = new Set<Waiter>();

  constructor(options: Required<PasswordQueueOptions>) {
    this.#options = options;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#advance();
    const place = Symbol();
    if (this.#leases.size < this.#options.running) this.#lease(place);
    else await this.#wait(place);
    try {
      return await work();
    } finally {
      this.#leases.delete(place);
      this.#advance();
    }
  }

  /** The seconds after which all waiting calls have started or given up. */
  get #retryAfter(): number {
    return Math.ceil(this.#options.longestWait / 1000);
  }

  #lease(place: symbol): void {
    const { longestRun, now } = this.#options;
    this.#leases.set(place, now() + longestRun);
  }

  async #wait(place: symbol): Promise<void> {
    const waiting = this.#waiters.size;
    if (waiting >= this.#options.waiting) {
      throw new PasswordQueueFullError(waiting, this.#retryAfter);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      end: this.#options.now() + this.#options.longestWait,
      start: () => {
        this.#waiters.delete(waiter);
        this.#lease(place);
        resolve();
      },
      giveUp: () => {
        this.#waiters.delete(waiter);
        const { size } = this.#waiters;
        reject(new PasswordQueueFullError(size, this.#retryAfter));
      },
    };
    this.#waiters.add(waiter);
    // Each call needs a timer: its own request may be the only one left.
    const timer = setInterval(
      () => this.#advance(),
      Math.min(this.#options.longestWait, CHECK_INTERVAL),
    );
    try {
      await promise;
    } finally {
      clearInterval(timer);
    }
  }

  /**
   * Fills free places from the queue, after removing expired places and waiters.
   * If a client disconnects, Workers drop the request without running its
   * `finally`, and its place would never become free.
   */
  #advance(): void {
    const now = this.#options.now();
    for (const [place, end] of this.#leases) {
      if (end <= now) this.#leases.delete(place);
    }
    for (const waiter of this.#waiters) {
      if (waiter.end <= now) waiter.giveUp();
      else if (this.#leases.size < this.#options.running) waiter.start();
      else return;
    }
  }
}
