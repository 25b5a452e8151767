/** Replaces `@std/crypto/timing-safe-equal` if JSR is unreachable. */
import { equalBytes } from "npm:@noble/ciphers@2.4.0/utils.js";

/** Compares in constant time. Throws if the lengths differ, as 1.1 does. */
export function timingSafeEqual(
  a: ArrayBufferView | ArrayBufferLike,
  b: ArrayBufferView | ArrayBufferLike,
): boolean {
  if (a.byteLength !== b.byteLength) {
    throw new TypeError("Cannot compare values of different lengths");
  }
  return equalBytes(bytes(a), bytes(b));
}

function bytes(source: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
