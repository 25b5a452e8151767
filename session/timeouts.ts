import { checkPositive, inTime } from "../router/internal.ts";
import type { CircuitBreaker } from "./drivers/circuit_breaker.ts";
import { SessionStoreError } from "./errors.ts";

/**
 * The largest difference between the clocks of machines that counts in a shared
 * store allow for, in milliseconds. A time further in the future was stored
 * before a clock was set back.
 */
export const MAX_SKEW = 3_600_000;

/** Timeouts of sessions, in milliseconds. */
export interface SessionTimeouts {
  /**
   * The time without a request after which a logged-in user's session ends.
   *
   * @default {1_800_000} 30 minutes
   */
  readonly idle?: number;
  /**
   * The time after which a session ends, counted from its beginning or from the
   * login.
   *
   * @default {43_200_000} 12 hours
   */
  readonly absolute?: number;
  /**
   * The time without a request after which an anonymous session ends.
   *
   * @default {600_000} 10 minutes
   */
  readonly anonymous?: number;
  /**
   * The precision of the idle timeouts: a session can end this much earlier. A
   * request stores its time if the stored one is older, so a smaller value means
   * more writes. With 0, each request that uses its session writes.
   *
   * @default {a quarter of the idle timeout}
   */
  readonly precision?: number;
}

/** The timeouts of one login, in milliseconds. */
export interface LoginTimeouts {
  /** The time after which the login ends. */
  readonly absolute: number;
  /**
   * The time without a request after which the login ends. Without it, only the
   * absolute timeout counts.
   *
   * @default {absolute}
   */
  readonly idle?: number;
}

/** The times of a session that decide when it ends, in epoch milliseconds. */
export interface SessionTimes {
  /** The user, or `undefined` for an anonymous session. */
  readonly userId: string | number | undefined;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** The idle timeout, if the login has its own timeouts. */
  readonly idle: number | undefined;
}

const MINUTE = 60_000;

/** The timeouts of one session middleware. */
export class Timeouts {
  readonly idle: number;
  readonly absolute: number;
  readonly anonymous: number;
  readonly #precision: number;

  /** @throws {RangeError} If a timeout is not a positive number. */
  constructor(timeouts: SessionTimeouts) {
    const { absolute, anonymous, idle, precision = Infinity } = timeouts;
    if (!(precision >= 0)) {
      throw new RangeError(
        `Cannot create session middleware: timeout precision "${precision}" is not 0 or more`,
      );
    }
    this.#precision = precision;
    this.idle = checkTimeout("idle", idle ?? 30 * MINUTE);
    this.absolute = checkTimeout("absolute", absolute ?? 720 * MINUTE);
    this.anonymous = checkTimeout("anonymous", anonymous ?? 10 * MINUTE);
  }

  /** Returns the time at which a session ends unless it is used before. */
  expiryOf(session: SessionTimes): number {
    const { createdAt, expiresAt, seenAt, userId } = session;
    if (session.idle !== undefined) {
      return Math.min(seenAt + session.idle, expiresAt);
    }
    const idle = userId === undefined ? this.anonymous : this.idle;
    return Math.min(seenAt + idle, createdAt + this.absolute, expiresAt);
  }

  /**
   * Returns `true` if the time of the last use must be stored again. This is the
   * case after a quarter of the idle timeout, or earlier with the option
   * `precision`, so that most reads write nothing.
   *
   * @param seenAt The stored time of the last use.
   */
  isRefreshDue(
    { idle = this.idle, userId }: SessionTimes,
    seenAt: number,
    now: number,
  ): boolean {
    const timeout = userId === undefined ? this.anonymous : idle;
    return now - seenAt >= Math.min(timeout / 4, this.#precision);
  }
}

/**
 * Returns the timeouts of a login.
 *
 * @throws {RangeError} If a timeout is not a positive number.
 */
export function checkLoginTimeouts(
  { absolute, idle = absolute }: LoginTimeouts,
): Required<LoginTimeouts> {
  for (const [name, value] of Object.entries({ absolute, idle })) {
    if (value > 0 && value < Infinity) continue;
    throw new RangeError(
      `Cannot log in to session: timeout ${name} "${value}" is not a positive number`,
    );
  }
  return { absolute, idle };
}

function checkTimeout(name: string, value: number): number {
  return checkPositive(
    "session middleware",
    `timeout ${name}`,
    value,
    Number.MAX_VALUE,
  );
}

/** The default timeout of a call to a store, in milliseconds. */
export const STORE_TIMEOUT = 5_000;

/**
 * Calls a store. Errors and timeouts become a `SessionStoreError`.
 *
 * @param breaker The breaker of the store. Without it, a call is made even if the
 * store is down.
 * @throws {SessionStoreError} If the store throws, rejects or takes too long.
 */
export function callStore<Value>(
  verb: string,
  call: () => Value | Promise<Value>,
  timeout: number,
  breaker?: CircuitBreaker,
): Value | Promise<Value> {
  if (breaker !== undefined) {
    return breaker.run(verb, () => callStore(verb, call, timeout), timeout);
  }
  let result: Value | Promise<Value>;
  try {
    result = call();
  } catch (cause) {
    throw new SessionStoreError(verb, { cause });
  }
  return typeof (result as Promise<Value> | null)?.then === "function"
    ? withTimeout(verb, result as Promise<Value>, timeout)
    : result;
}

async function withTimeout<Value>(
  verb: string,
  result: Promise<Value>,
  timeout: number,
): Promise<Value> {
  const late = () => new Error(`No answer within ${timeout} ms`);
  try {
    return await inTime(result, timeout, late);
  } catch (cause) {
    throw new SessionStoreError(verb, { cause });
  }
}
