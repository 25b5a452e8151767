import { encodeBase64, hmac, timingSafeEqual } from "../../session/secrets.ts";
import { isBcrypt, verifyBcrypt } from "./_bcrypt.ts";
import { derivePhpass } from "./_phpass.ts";

/** The characters of phpass for 0 to 63. */
const DIGITS =
  "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * The portable hash of phpass. The first character is the binary logarithm of the
 * rounds: WordPress writes 13, and 16 takes a second for the longest password.
 */
const PHPASS = /^\$[PH]\$([5-9A-E])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/;

/**
 * Reads hashes of WordPress: those since version 6.8, which begin with `$wp$2y$`,
 * and older ones of phpass, which begin with `$P$` or, in phpBB, with `$H$`.
 *
 * It removes white space around the password, as WordPress does.
 *
 * @example Accepting the hashes of a WordPress site
 * ```ts
 * import { assert } from "@std/assert";
 * import { verifyPassword } from "@gatehouse/web/auth/password";
 * import { readWordPress } from "@gatehouse/web/auth/password/readers";
 *
 * const hash = "$P$BziID9InZR0rSjm8dbKnJiVxUXwt6d1";
 * const { ok } = await verifyPassword(hash, "pässword", {
 *   readers: [readWordPress],
 * });
 * assert(ok);
 * ```
 *
 * @param hash The stored hash.
 * @returns A function that verifies a password, or `null` for other formats.
 */
export function readWordPress(
  hash: string,
): ((password: string) => Promise<boolean>) | null {
  if (hash.startsWith("$wp$2y$") && isBcrypt(hash.slice(3))) {
    return async (password) =>
      verifyBcrypt(await prehash(trim(password)), hash.slice(3));
  }
  const [, cost = "", salt = "", expected = ""] = PHPASS.exec(hash) ?? [];
  if (cost === "") return null;
  return (password) => {
    const encoder = new TextEncoder();
    const derived = derivePhpass(
      encoder.encode(trim(password)),
      encoder.encode(salt),
      2 ** DIGITS.indexOf(cost),
    );
    return Promise.resolve(timingSafeEqual(
      encoder.encode(encode(derived)),
      encoder.encode(expected),
    ));
  };
}

/** Removes the characters that `trim()` of PHP removes. */
function trim(password: string): string {
  return password.replace(/^[ \t\n\r\0\v]+/, "").replace(/[ \t\n\r\0\v]+$/, "");
}

/** Returns the HMAC that WordPress passes to bcrypt, as base64. */
async function prehash(password: string): Promise<string> {
  return encodeBase64(await hmac("wp-sha384", password, "SHA-384"));
}

/** Encodes bytes as phpass does: six bits at a time, the lowest first. */
function encode(bytes: Uint8Array): string {
  let text = "";
  let [bits, count] = [0, 0];
  for (const byte of bytes) {
    bits |= byte << count;
    for (count += 8; count >= 6; count -= 6, bits >>= 6) {
      text += DIGITS[bits & 63];
    }
  }
  return count === 0 ? text : text + DIGITS[bits & 63];
}
