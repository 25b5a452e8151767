/**
 * Converts an ECDSA signature from DER, as authenticators sign, to the two numbers
 * that Web Crypto expects. Each signature has only one accepted encoding.
 *
 * @param size The length of each number, in bytes.
 * @returns The numbers, or `null` if the signature is malformed.
 * @see {@link https://www.rfc-editor.org/rfc/rfc3279#section-2.2.3 | RFC 3279, section 2.2.3}
 */
export function toRawSignature(
  der: Uint8Array<ArrayBuffer>,
  size: number,
): Uint8Array<ArrayBuffer> | null {
  // The signature is a sequence, whose length has two bytes if it is over 127.
  const isLong = der[1] === 0x81;
  const start = isLong ? 3 : 2;
  const length = der[start - 1];
  if (der[0] !== 0x30 || length !== der.length - start) return null;
  if (isLong !== length > 127) return null;

  const raw = new Uint8Array(size * 2);
  let index = start;
  for (const end of [size, size * 2]) {
    const number = readInteger(der, index);
    if (number === null) return null;
    index += number.length + 2;
    const digits = number[0] === 0 ? number.subarray(1) : number;
    if (digits.length > size) return null;
    raw.set(digits, end - digits.length);
  }
  return index === der.length ? raw : null;
}

/** Reads a positive integer in its shortest form, with its leading zero. */
function readInteger(
  der: Uint8Array<ArrayBuffer>,
  index: number,
): Uint8Array<ArrayBuffer> | null {
  const length = der[index + 1] ?? 0;
  const bytes = der.subarray(index + 2, index + 2 + length);
  const [first = 0, second = 0] = bytes;
  const isComplete = der[index] === 2 && length > 0 && bytes.length === length;
  // A leading zero only separates a large number from a negative one.
  const isShortest = first !== 0 || length > 1 && second > 127;
  return isComplete && first < 128 && isShortest ? bytes : null;
}
