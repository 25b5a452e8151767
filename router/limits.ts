/**
 * The longest delay of a timer, in milliseconds. A timer with a longer delay
 * fires at once.
 */
export const MAX_TIMEOUT: number = 2 ** 31 - 1;

/**
 * Returns the value of an option if it is a positive number.
 *
 * @param owner The object that the option is for, as errors name it.
 * @param most The largest value.
 * @throws {RangeError} If it is anything else.
 */
export function checkPositive(
  owner: string,
  name: string,
  value: number,
  most = Infinity,
): number {
  if (value > 0 && value <= most) return value;
  const limit = Number.isSafeInteger(most) ? ` up to ${most}` : "";
  throw new RangeError(
    `Cannot create ${owner}: ${name} "${value}" is not a positive number${limit}`,
  );
}
