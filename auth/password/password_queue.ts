import { PasswordQueueFullError } from "./errors.ts";

/** Options for a password queue. */
export interface PasswordQueueOptions {
  /**
   * The number of passwords hashed at once, at least 1. Each takes the memory
   * that its hash asks for: 19 MiB by default. On Workers, where hashing is
   * JavaScript, 1 gives the first answers sooner and the last at the same time.
   *
   * @default {4}
   */
  readonly running?: number;

  /**
   * The number of calls that may wait before the next is rejected, at least 0.
   *
   * @default {64}
   */
  readonly waiting?: number;

  /**
   * Milliseconds after which a waiting call is rejected, at least 1.
   *
   * @default {10_000}
   */
  readonly longestWait?: number;

  /**
   * Milliseconds after which the place of one that did not end is given to the
   * next, at least 1. It is not stopped.
   *
   * @default {30_000}
   */
  readonly longestRun?: number;
}

/** Bounds how many passwords are hashed at once, and how many wait for that. */
export interface PasswordQueue {
  /**
   * Does the work when its turn comes, in the order of the calls.
   *
   * @param work What to do.
   * @returns What the work gives.
   * @throws {PasswordQueueFullError} When too many wait, or it waited too long.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Milliseconds between the looks at places and waiters that are too old. */
const ADVANCE_EVERY = 500;

/**
 * Creates a queue for passwords.
 *
 * Without one, a hundred logins at once would take two gigabytes. All calls of
 * a process share one queue, unless their options name another.
 *
 * @example Turning away what would wait too long
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
 * @param options How many may run and wait.
 * @returns The queue.
 * @throws {RangeError} When a number is out of bounds.
 */
export function createPasswordQueue(
  options: PasswordQueueOptions = {},
): PasswordQueue {
  const { running = 4, waiting = 64 } = options;
  const { longestWait = 10_000, longestRun = 30_000 } = options;
  assertAtLeast("running", running, 1);
  assertAtLeast("waiting", waiting, 0);
  assertAtLeast("longestWait", longestWait, 1);
  assertAtLeast("longestRun", longestRun, 1);
  return new LeasedQueue({ running, waiting, longestWait, longestRun });
}

function assertAtLeast(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(
    `Cannot create a password queue with ${name} "${value}": it is not a whole number from ${least}`,
  );
}

interface Waiter {
  /** When it has waited too long. */
  readonly end: number;
  start(): void;
  giveUp(): void;
}

class LeasedQueue implements PasswordQueue {
  readonly #options: Required<PasswordQueueOptions>;
  /** Who holds a place, and until when. */
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

  /** Seconds after which all who wait now have had their turn or given up. */
  get #retryAfter(): number {
    return Math.ceil(this.#options.longestWait / 1000);
  }

  #lease(place: symbol): void {
    this.#leases.set(place, Date.now() + this.#options.longestRun);
  }

  async #wait(place: symbol): Promise<void> {
    const waiting = this.#waiters.size;
    if (waiting >= this.#options.waiting) {
      throw new PasswordQueueFullError(waiting, this.#retryAfter);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      end: Date.now() + this.#options.longestWait,
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
    // Its own timer, for none but its own request may be left to wake it.
    const timer = setInterval(
      () => this.#advance(),
      Math.min(this.#options.longestWait, ADVANCE_EVERY),
    );
    try {
      await promise;
    } finally {
      clearInterval(timer);
    }
  }

  /**
   * Fills free places from the queue. Places and waiters that are too old go
   * first: Workers drop a request whose client left together with its timers
   * and its `finally`, and what it held would be held for ever.
   */
  #advance(): void {
    const now = Date.now();
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
