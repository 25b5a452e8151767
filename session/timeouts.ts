import { checkPositive } from "../router/internal.ts";

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
}

/** The times of a session that decide when it ends, in epoch milliseconds. */
export interface SessionTimes {
  /** The user, or `undefined` for an anonymous session. */
  readonly userId: string | number | undefined;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
}

const MINUTE = 60_000;

/** The timeouts of one session middleware. */
export class Timeouts {
  readonly idle: number;
  readonly absolute: number;
  readonly anonymous: number;

  /** @throws {RangeError} If a timeout is not a positive number. */
  constructor({ absolute, anonymous, idle }: SessionTimeouts) {
    this.idle = checkTimeout("idle", idle ?? 30 * MINUTE);
    this.absolute = checkTimeout("absolute", absolute ?? 720 * MINUTE);
    this.anonymous = checkTimeout("anonymous", anonymous ?? 10 * MINUTE);
  }

  /** Returns the time at which a session ends unless it is used before. */
  expiryOf(session: SessionTimes): number {
    const { createdAt, expiresAt, seenAt, userId } = session;
    const idle = userId === undefined ? this.anonymous : this.idle;
    return Math.min(seenAt + idle, createdAt + this.absolute, expiresAt);
  }

  /**
   * Returns `true` if the time of the last use must be stored again. This is the
   * case after a quarter of the idle timeout, so that most reads write nothing.
   *
   * @param seenAt The stored time of the last use.
   */
  isRefreshDue(
    { userId }: SessionTimes,
    seenAt: number,
    now: number,
  ): boolean {
    const idle = userId === undefined ? this.anonymous : this.idle;
    return now - seenAt >= idle / 4;
  }
}

function checkTimeout(name: string, value: number): number {
  return checkPositive(
    "session middleware",
    `timeout ${name}`,
    value,
    Number.MAX_VALUE,
  );
}
