import { MAX_SKEW } from "../../session/internal.ts";
import type { ThrottleLimit } from "./limits.ts";

/** Failures, as stored. */
export type FailureCount = readonly [
  /** The failures, with the latest at the end. */
  slices: readonly Slice[],
  /** The time of the next possible attempt, in epoch milliseconds. */
  blockedUntil: number,
];

/**
 * The failures within one time slice: the time of the last one in epoch
 * milliseconds, and their number. They expire together.
 */
type Slice = readonly [last: number, failures: number];

/**
 * The slices in a window. A failure counts for the whole window, and at most a
 * tenth longer.
 */
const SLICES_PER_WINDOW = 10;

const NO_FAILURES: FailureCount = [[], 0];

/** Counts failures by a limit, without storing them. */
export class FailureCounter {
  readonly #limit: ThrottleLimit;
  readonly #now: () => number;

  constructor(limit: ThrottleLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** The first delay, in milliseconds. */
  get delay(): number {
    return this.#limit.delay;
  }

  /** The time for which a count matters, in milliseconds. */
  get ttl(): number {
    return this.#limit.window + this.#limit.maxDelay;
  }

  /** Returns `true` if a count no longer matters. */
  isOver(count: FailureCount): boolean {
    return this.#current(count).length === 0 && this.waitOf(count) === 0;
  }

  /**
   * Returns the milliseconds until the next attempt, at most the longest delay.
   * A delay that ends later comes from a machine whose clock is ahead. If it ends
   * much later, the clock was set back.
   */
  waitOf([, blockedUntil]: FailureCount): number {
    const { maxDelay } = this.#limit;
    const wait = blockedUntil - this.#now();
    const longest = maxDelay + Math.max(maxDelay, MAX_SKEW);
    return wait > longest ? 0 : Math.min(Math.max(0, wait), maxDelay);
  }

  /** Adds a failure now, or at the latest time of a machine whose clock is ahead. */
  add(count: FailureCount): FailureCount {
    const time = this.#now();
    const slices = this.#current(count);
    const now = Math.max(time, ...slices.map(([last]) => last));
    const length = this.#limit.window / SLICES_PER_WINDOW;
    const numberOf = (time: number) => Math.floor(time / length);
    const others = slices.filter(([last]) => numberOf(last) !== numberOf(now));
    const failures = failuresOf(slices) + 1;
    const delay = this.#delayAfter(failures);
    const latest: Slice = [now, failures - failuresOf(others)];
    return [[...others, latest], delay === 0 ? 0 : time + delay];
  }

  /** Takes a failure back, and only the delay that it caused. */
  subtract(
    count: FailureCount,
    [, addedDelay]: FailureCount,
  ): FailureCount {
    const [, blockedUntil] = count;
    return [
      withOneLess(this.#current(count)),
      blockedUntil === addedDelay ? 0 : blockedUntil,
    ];
  }

  /** Returns the failures that still count. */
  #current([slices]: FailureCount): readonly Slice[] {
    const now = this.#now();
    const { window } = this.#limit;
    return slices.filter(([last]) =>
      now - last < window && last - now < Math.max(window, MAX_SKEW)
    );
  }

  #delayAfter(failures: number): number {
    const { attempts, delay, maxDelay } = this.#limit;
    if (failures < attempts) return 0;
    return Math.min(delay * 2 ** Math.min(failures - attempts, 50), maxDelay);
  }
}

function failuresOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, [, failures]) => sum + failures, 0);
}

function withOneLess(slices: readonly Slice[]): readonly Slice[] {
  const latest = slices.at(-1);
  if (latest === undefined) return slices;
  const [last, failures] = latest;
  const others = slices.slice(0, -1);
  return failures > 1 ? [...others, [last, failures - 1]] : others;
}

/** Returns a stored count. An invalid one counts as no failures. */
export function toCount(value: unknown): FailureCount {
  const [slices, blockedUntil] = Array.isArray(value) ? value : [];
  return Array.isArray(slices) && slices.every(isSlice) &&
      Number.isFinite(blockedUntil)
    ? [slices, blockedUntil]
    : NO_FAILURES;
}

function isSlice(value: unknown): boolean {
  return Array.isArray(value) && Number.isFinite(value[0]) &&
    Number.isSafeInteger(value[1]);
}
