import { encodeBase64Url } from "../secrets.ts";

/**
 * Printable ASCII of a bounded length. The Redis store keeps index sets under
 * `index:`, so no store takes a key that begins like them.
 */
const KEY = /^(?!index:)[\x20-\x7e]{1,256}$/;

/**
 * Returns `true` if a value can have this key. Keys can come from a URL, so
 * stores look for nothing under any other.
 */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/**
 * Returns the key if a value can have it.
 *
 * @throws {RangeError} If the key is malformed.
 */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new RangeError(
    'Cannot store value: its key is not 1 to 256 printable ASCII characters, or begins with "index:"',
  );
}

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

/** Makes a version that no value ever had, not even an earlier one of its key. */
export function newVersion(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)));
}
