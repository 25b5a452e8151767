/**
 * Checks a time that the application sets. A database would store others as
 * `NULL`, which means "never".
 *
 * @throws {RangeError} If it is not a finite number.
 */
export function checkTime(name: string, time: number): void {
  if (Number.isFinite(time)) return;
  throw new RangeError(`Cannot set ${name} "${time}": it is not a time`);
}
