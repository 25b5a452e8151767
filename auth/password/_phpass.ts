// Only the reader of WordPress needs MD5, and no bundle without it has it.
import { md5 } from "@noble/hashes/legacy.js";

/**
 * Computes the MD5 chain of phpass: of the salt and the password, and then of
 * each hash and the password.
 */
export function derivePhpass(
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
): Uint8Array {
  let hash = md5.create().update(salt).update(password).digest();
  for (let count = 0; count < iterations; count++) {
    hash = md5.create().update(hash).update(password).digest();
  }
  return hash;
}
