import { SessionStoreError } from "../errors.ts";

/**
 * The minimum duration of a hanging save after which the next request
 * continues, in milliseconds. Then compare-and-swap decides.
 */
const MIN_PATIENCE = 1_000;

/** A save takes two calls. A save that takes twice as long may hang. */
const PATIENCE_FACTOR = 4;

/** The maximum number of waiting requests. */
const MAX_WAITING = 1_000;

/** The maximum number of requests that save at the same time. */
const MAX_RUNNING = 2;

/** The times of a turn, in milliseconds. */
export interface TurnLimits {
  /** The duration of a call to the store. */
  readonly callTime: number;
  /** The timeout of a call to the store. */
  readonly storeTimeout: number;
}

/** The turn of a request that saves. */
interface Turn {
  /** The time after which the save counts as hanging. */
  readonly hangsAt: number;
  /**
   * The time after which the request counts as lost. Workers stop a request whose
   * client leaves, and never end its turn.
   */
  readonly lostAt: number;
}

/**
 * The requests of this process that save the same session, one at a time. If a
 * save hangs, the next request continues, and the store answers both. More
 * concurrent saves would make each other fail, and make the slow store slower.
 */
export class SaveQueue {
  readonly #waiting = new Set<() => void>();
  readonly #running = new Set<Turn>();

  /** `true` if no request saves or waits. */
  get isEmpty(): boolean {
    return this.#running.size + this.#waiting.size === 0;
  }

  /** Begins the turn of the first request. */
  begin({ callTime, storeTimeout }: TurnLimits): Turn {
    const now = performance.now();
    const patience = Math.max(MIN_PATIENCE, PATIENCE_FACTOR * callTime);
    const turn = { hangsAt: now + patience, lostAt: now + 4 * storeTimeout };
    this.#running.add(turn);
    return turn;
  }

  /**
   * Waits for the turn of a further request.
   *
   * @throws {SessionStoreError} If too many requests wait, or this one waited for
   * longer than two calls to the store may take.
   */
  async wait(limits: TurnLimits): Promise<Turn> {
    if (this.#waiting.size >= MAX_WAITING) throw tooManyWriters();
    const { promise, reject, resolve } = Promise.withResolvers<Turn>();
    const goOn = () => resolve(this.begin(limits));
    this.#waiting.add(goOn);
    // Each request has its own timer, because Workers end the timers of a
    // request with it.
    const timer = setInterval(() => this.#advance(), MIN_PATIENCE);
    const timeout = setTimeout(
      () => reject(tooManyWriters()),
      2 * limits.storeTimeout,
    );
    try {
      this.#advance();
      return await promise;
    } finally {
      this.#waiting.delete(goOn);
      clearInterval(timer);
      clearTimeout(timeout);
    }
  }

  /** Ends a turn and begins the next. */
  end(turn: Turn): void {
    this.#running.delete(turn);
    this.#advance();
  }

  /** Lets the oldest waiting request continue, unless a save is running. */
  #advance(): void {
    const now = performance.now();
    let isBusy = false;
    for (const turn of this.#running) {
      if (turn.lostAt <= now) this.#running.delete(turn);
      else if (turn.hangsAt > now) isBusy = true;
    }
    if (isBusy || this.#running.size >= MAX_RUNNING) return;
    const [goOn] = this.#waiting;
    if (goOn === undefined) return;
    this.#waiting.delete(goOn);
    goOn();
  }
}

/** Creates the error for a session that too many requests save. */
export function tooManyWriters(): SessionStoreError {
  return new SessionStoreError("save", {
    cause: new Error("Cannot save session: too many writers at once"),
  });
}

/** Waits for a random time, so that writers do not meet again and again. */
export function backOff(attempt: number): Promise<void> {
  const longest = Math.min(2 ** attempt, 32);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
