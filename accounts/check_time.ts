/** The last time that a `Date` can have, in epoch milliseconds. */
const MAX_TIME = 8.64e15;

/**
 * Checks a time that the application sets. A database would store `NaN` as `NULL`,
 * which means "never", and no page could show a time without a date.
 *
 * @throws {RangeError} If it is not a number, or no date has this time.
 */
export function checkTime(name: string, time: number): void {
  if (Number.isFinite(time) && Math.abs(time) <= MAX_TIME) return;
  throw new RangeError(`Cannot set ${name} "${time}": it is not a time`);
}
