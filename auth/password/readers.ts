/**
 * Reads password hashes of Devise, Firebase and WordPress, to move their users to
 * Argon2id as they log in. `verifyPassword` reads other formats without a reader.
 *
 * @example Accepting old hashes of WordPress
 * ```ts
 * import { assert } from "@std/assert";
 * import { verifyPassword } from "@gatehouse/web/auth/password";
 * import { readWordPress } from "@gatehouse/web/auth/password/readers";
 *
 * const hash = "$P$BziID9InZR0rSjm8dbKnJiVxUXwt6d1";
 * const readers = [readWordPress];
 * const { ok } = await verifyPassword(hash, "pässword", { readers });
 * assert(ok);
 * ```
 *
 * @module
 */
export { createDeviseReader, type DeviseReaderOptions } from "./devise.ts";
export {
  createFirebaseReader,
  type FirebaseReaderOptions,
} from "./firebase.ts";
export { readWordPress } from "./wordpress.ts";
