import { isBcrypt, verifyBcrypt } from "./_bcrypt.ts";
import type { PasswordReader } from "./options.ts";

/** Options for {@linkcode createDeviseReader}. */
export interface DeviseReaderOptions {
  /** The `config.pepper` of Devise, which is a secret. */
  readonly pepper: string;
}

/**
 * Creates a reader for hashes of Devise with a pepper. Without a pepper, they are
 * bcrypt hashes: use `readBcrypt`.
 *
 * It rejects passwords with more than 72 bytes or a NUL, as `readBcrypt` does.
 *
 * @example Accepting the hashes of a Rails application
 * ```ts
 * import { assert } from "@std/assert";
 * import { verifyPassword } from "@gatehouse/web/auth/password";
 * import { createDeviseReader } from "@gatehouse/web/auth/password/readers";
 *
 * const readers = [createDeviseReader({ pepper: "short pepper" })];
 * const hash = "$2a$04$yKSqE80EL65C0a/IezTFCOuNt2.PmRtDjsJitwiAJpFh/pL6zRlkm";
 *
 * const { ok } = await verifyPassword(hash, "pässword", { readers });
 * assert(ok);
 * ```
 *
 * @param options The pepper.
 * @returns A reader for the `readers` of `verifyPassword`.
 * @throws {TypeError} If the pepper is not a string, or is empty.
 */
export function createDeviseReader(
  { pepper }: DeviseReaderOptions,
): PasswordReader {
  if (typeof pepper !== "string" || pepper === "") {
    throw new TypeError(
      "Cannot create the reader of Devise: pepper is not a string or is empty",
    );
  }
  return (hash) =>
    isBcrypt(hash) ? (password) => verifyBcrypt(password, hash, pepper) : null;
}
