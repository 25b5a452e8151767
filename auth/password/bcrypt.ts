/**
 * Reads bcrypt hashes, to move their users to Argon2id as they log in.
 *
 * @example Verifying an old hash and replacing it
 * ```ts
 * import { assert, assertStringIncludes } from "@std/assert";
 * import { hashPassword, verifyPassword } from "@gatehouse/web/auth/password";
 * import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
 *
 * const passwords = { readers: [readBcrypt] };
 * const user = {
 *   hash: "$2b$04$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e",
 * };
 *
 * const { ok, needsRehash } = await verifyPassword(user.hash, "x", passwords);
 * if (needsRehash) user.hash = await hashPassword("x", passwords);
 *
 * assert(ok);
 * assertStringIncludes(user.hash, "$argon2id$");
 * ```
 *
 * @module
 */
// No other module imports bcryptjs.
import { compare } from "bcryptjs";
import { encodeHex, sha256 } from "../../session/secrets.ts";

/** The cost is a power of two; 15 takes two seconds in JavaScript. */
const SHAPE =
  /^(?:bcrypt(_sha256)?\$)?(\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53})$/;

/** The bytes that bcrypt uses. */
const MAX_BYTES = 72;

/**
 * Reads bcrypt hashes that begin with `$2a$`, `$2b$` or `$2y$` and have a cost
 * of 4 to 15. It is a reader for the `readers` of `verifyPassword`. It also reads
 * hashes of Django, which begin with `bcrypt_sha256$` or `bcrypt$`.
 *
 * It rejects passwords with more than 72 bytes or a NUL. Bcrypt ignores the rest
 * and repeats the password around a NUL, so that other passwords would also
 * match. A user with such a password must reset it.
 *
 * @example Accepting the hashes of another application
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { verifyPassword } from "@gatehouse/web/auth/password";
 * import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
 *
 * const hash = "$2b$04$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e";
 * const { ok } = await verifyPassword(hash, "wrong", { readers: [readBcrypt] });
 * assertEquals(ok, false);
 * ```
 *
 * @param hash The stored hash.
 * @returns A function that verifies a password, or `null` for other formats.
 */
export function readBcrypt(
  hash: string,
): ((password: string) => Promise<boolean>) | null {
  const [, prehash, bcrypt] = SHAPE.exec(hash) ?? [];
  if (bcrypt === undefined) return null;
  if (prehash !== undefined) {
    return async (password) => await compare(await hexDigest(password), bcrypt);
  }
  return async (password) => {
    // The hash is always computed, so that response time does not reveal the
    // reason.
    const isMatch = await compare(password, bcrypt);
    return isMatch && !password.includes("\0") &&
      new TextEncoder().encode(password).length <= MAX_BYTES;
  };
}

/** Returns the hexadecimal SHA-256 hash that Django passes to bcrypt. */
async function hexDigest(password: string): Promise<string> {
  return encodeHex(await sha256(password));
}
