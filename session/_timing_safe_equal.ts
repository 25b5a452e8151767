// The only module that imports @std/crypto/timing-safe-equal.
import { timingSafeEqual as equalBytes } from "@std/crypto/timing-safe-equal";

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Compares two secrets in a time that does not tell where they differ. Their
 * lengths are no secret: different ones are unequal at once.
 */
export function timingSafeEqual(
  a: string | Uint8Array,
  b: string | Uint8Array,
): boolean {
  const left = typeof a === "string" ? encoder.encode(a) : a;
  const right = typeof b === "string" ? encoder.encode(b) : b;
  return left.length === right.length && equalBytes(left, right);
}
