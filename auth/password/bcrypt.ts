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
import { encodeHex, sha256 } from "../../session/secrets.ts";
import { isBcrypt, verifyBcrypt } from "./_bcrypt.ts";

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
  const [, prehash, bcrypt = hash] =
    /^bcrypt(_sha256)?\$(\$2[aby]\$.+)$/.exec(hash) ?? [];
  if (!isBcrypt(bcrypt)) return null;
  return async (password) =>
    verifyBcrypt(prehash ? await hexDigest(password) : password, bcrypt);
}

/** Returns the hexadecimal SHA-256 hash that Django passes to bcrypt. */
async function hexDigest(password: string): Promise<string> {
  return encodeHex(await sha256(password));
}
