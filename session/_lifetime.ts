import type { SessionRecord } from "./_record.ts";

/** How long sessions last, in milliseconds. */
export interface ResolvedTimeouts {
  readonly idle: number;
  readonly absolute: number;
  readonly anonymous: number;
}

/** The idle timeout of a record: anonymous visitors have a shorter one. */
export function idleTimeout(
  record: SessionRecord,
  timeouts: ResolvedTimeouts,
): number {
  return record.userId === undefined ? timeouts.anonymous : timeouts.idle;
}

/** When a record ends, unless it is used before. */
export function expiryOf(
  record: SessionRecord,
  timeouts: ResolvedTimeouts,
): number {
  return Math.min(
    record.seenAt + idleTimeout(record, timeouts),
    record.createdAt + timeouts.absolute,
    record.expiresAt,
  );
}

/**
 * Returns `true` if the time of last use must be stored again: after a quarter
 * of the idle timeout, so that most reads write nothing.
 *
 * @param seenAt The stored time of last use.
 */
export function isRefreshDue(
  record: SessionRecord,
  timeouts: ResolvedTimeouts,
  now: number,
  seenAt: number,
): boolean {
  return now - seenAt >= idleTimeout(record, timeouts) / 4;
}
