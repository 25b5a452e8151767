/** A decoded value and the index after it. */
type Decoded = readonly [value: unknown, end: number];

/**
 * The maximum size, which exceeds the largest attestation with its
 * certificates.
 */
const MAX_BYTES = 32_768;

/** The maximum nesting of arrays and maps. Authenticators use four levels. */
const MAX_DEPTH = 8;

const UTF8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the CBOR value at the beginning of the bytes, in the form that
 * authenticators use: definite lengths in their shortest form, no tags, no floats.
 *
 * @returns The value and its length, or `null` if it is malformed, such as a map
 * with duplicate keys.
 * @see {@link https://fidoalliance.org/specs/fido-v2.2-ps-20250714/fido-client-to-authenticator-protocol-v2.2-ps-20250714.html#message-encoding | CTAP 2.2, section 8}
 */
export function decodeCBORPrefix(
  bytes: Uint8Array<ArrayBuffer>,
): { readonly value: unknown; readonly length: number } | null {
  try {
    const decoded = bytes.length > MAX_BYTES ? null : decode(bytes, 0, 0);
    return decoded && { value: decoded[0], length: decoded[1] };
  } catch {
    // The decoder throws if a string is not UTF-8.
    return null;
  }
}

/** Decodes a CBOR map that takes all bytes. Returns `null` for anything else. */
export function decodeCBORMap(
  bytes: Uint8Array<ArrayBuffer>,
): Map<unknown, unknown> | null {
  const decoded = decodeCBORPrefix(bytes);
  return decoded?.length === bytes.length && decoded.value instanceof Map
    ? decoded.value
    : null;
}

function decode(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  depth: number,
): Decoded | null {
  const head = readHead(bytes, start);
  if (head === null || depth > MAX_DEPTH) return null;
  const { argument, index, type } = head;
  switch (type) {
    case 0:
      return [argument, index];
    case 1:
      return [-1 - argument, index];
    case 2:
    case 3: {
      const end = index + argument;
      if (end > bytes.length) return null;
      const content = bytes.slice(index, end);
      return [type === 2 ? content : UTF8.decode(content), end];
    }
    case 4:
      return decodeItems(bytes, index, argument, depth);
    case 5: {
      const items = decodeItems(bytes, index, argument * 2, depth);
      const map = items && toMap(items[0]);
      return items && map && [map, items[1]];
    }
    case 7:
      // These are the simple values false, true and null.
      return argument >= 20 && argument <= 22
        ? [[false, true, null][argument - 20], index]
        : null;
    default:
      return null;
  }
}

/** Reads the type of a value, and its number or length. */
function readHead(bytes: Uint8Array<ArrayBuffer>, start: number) {
  const [first = 0xff] = bytes.subarray(start, start + 1);
  const [type, info] = [first >> 5, first & 31];
  if (info < 24) return { type, argument: info, index: start + 1 };
  // The number has one, two or four bytes, and must be in its shortest form.
  const size = 2 ** (info - 24);
  const digits = bytes.subarray(start + 1, start + 1 + size);
  if (size > 4 || digits.length < size || type === 7) return null;
  const argument = digits.reduce((number, digit) => number * 256 + digit, 0);
  const isShortest = argument >= (size === 1 ? 24 : 256 ** (size / 2));
  return isShortest ? { type, argument, index: start + 1 + size } : null;
}

function decodeItems(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  count: number,
  depth: number,
): readonly [items: unknown[], end: number] | null {
  const items: unknown[] = [];
  let end = start;
  while (items.length < count) {
    const item = decode(bytes, end, depth + 1);
    if (item === null) return null;
    items.push(item[0]);
    end = item[1];
  }
  return [items, end];
}

/** Creates a map of alternate keys and values, or `null` for duplicate keys. */
function toMap(items: readonly unknown[]): Map<unknown, unknown> | null {
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < items.length; index += 2) {
    const key = items[index];
    if (typeof key !== "string" && typeof key !== "number") return null;
    if (map.has(key)) return null;
    map.set(key, items[index + 1]);
  }
  return map;
}
