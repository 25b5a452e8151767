/** The seconds that a client waits between two requests. */
export const INTERVAL = 5;

/** The seconds that each request before its time adds (RFC 8628, section 3.5). */
const SLOW_DOWN = 5;

/** The longest interval, in seconds. */
const MAX_INTERVAL = 60;

/** The seconds by which a request may be early, because timers are inexact. */
const TOLERANCE = 1;

/** The maximum number of device codes whose pace is known. */
const MAX_CODES = 10_000;

interface Pace {
  readonly interval: number;
  /** The time from which a request is not too early, in epoch milliseconds. */
  readonly nextAt: number;
}

/**
 * The pace at which clients ask for their tokens. Each process counts for itself: a
 * count in the store would be a write for each request, and a flood costs no more
 * than the check of a MAC.
 */
export class PollPace {
  readonly #now: () => number;
  /** The one that was changed longest ago comes first. */
  readonly #paces = new Map<string, Pace>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a request. Returns `true` if it comes too early. */
  isTooFast(key: string): boolean {
    const now = this.#now();
    const known = this.#paces.get(key);
    const isEarly = known !== undefined && now < known.nextAt;
    const before = known?.interval ?? INTERVAL;
    const interval = isEarly
      ? Math.min(before + SLOW_DOWN, MAX_INTERVAL)
      : before;
    this.#paces.delete(key);
    this.#paces.set(key, {
      interval,
      nextAt: now + (interval - TOLERANCE) * 1000,
    });
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > MAX_CODES) this.#paces.delete(oldest!);
    return isEarly;
  }
}
