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
