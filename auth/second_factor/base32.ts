const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes as base32 without padding (RFC 4648, section 6). */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8 | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[buffer >> bits & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[buffer << (5 - bits) & 31] : text;
}

/**
 * Decodes base32 in upper or lower case, or returns `null` for any other
 * string.
 */
export function decodeBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text.toUpperCase().replace(/=+$/, "")) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return null;
    buffer = (buffer << 5 | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(buffer >> bits & 255);
    }
  }
  return Uint8Array.from(bytes);
}
