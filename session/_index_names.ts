/** The most index names that a value can have, in any store. */
export const MAX_INDEX_NAMES = 4;

/**
 * Returns the names if they are few enough.
 *
 * @throws {RangeError} If they are too many.
 */
export function checkIndex(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_INDEX_NAMES) return names;
  throw new RangeError(
    `Cannot store value: it has ${names.length} index names, and at most ${MAX_INDEX_NAMES} are allowed`,
  );
}
