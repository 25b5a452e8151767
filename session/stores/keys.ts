import { encodeBase64Url } from "../secrets.ts";

/**
 * Printable ASCII of a bounded length. The Redis store keeps its index sets
 * under `index:`, so no store accepts a key with this prefix.
 */
const KEY = /^(?!index:)[\x20-\x7e]{1,256}$/;

/**
 * Returns `true` if the key is valid. Keys can come from a URL, so stores return
 * `null` for an invalid key.
 */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/**
 * Returns the key if it is valid.
 *
 * @throws {RangeError} If the key is malformed.
 */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new RangeError(
    'Cannot store value: its key is not 1 to 256 printable ASCII characters, or begins with "index:"',
  );
}

/** The maximum number of index names of a value, in any store. */
export const MAX_INDEX_NAMES = 4;

/**
 * Returns the names if there are not too many.
 *
 * @throws {RangeError} If there are too many.
 */
export function checkIndex(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_INDEX_NAMES) return names;
  throw new RangeError(
    `Cannot store value: it has ${names.length} index names, and at most ${MAX_INDEX_NAMES} are allowed`,
  );
}

/** Creates a version that no value has had before, not even under the same key. */
export function newVersion(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)));
}
