/**
 * Hashes and verifies passwords with Argon2id.
 *
 * @example Registration and login
 * ```ts
 * import { assert } from "@std/assert";
 * import { hashPassword, verifyPassword } from "@gatehouse/web/auth/password";
 *
 * const hash = await hashPassword("correct horse battery staple");
 * const { ok } = await verifyPassword(hash, "correct horse battery staple");
 * assert(ok);
 * ```
 *
 * @module
 */
export {
  type Argon2Engine,
  argon2Engines,
  type Argon2Inputs,
} from "./argon2_engine.ts";
export {
  type BreachedPasswordOptions,
  createBreachedPasswordCheck,
} from "./breached.ts";
export { PasswordQueueFullError, PasswordRefusedError } from "./errors.ts";
export type {
  HashPasswordOptions,
  PasswordOptions,
  PasswordPepper,
  PasswordReader,
  VerifyPasswordOptions,
} from "./options.ts";
export {
  hashPassword,
  type PasswordVerification,
  verifyPassword,
} from "./password.ts";
export {
  createPasswordQueue,
  type PasswordQueue,
  type PasswordQueueOptions,
} from "./password_queue.ts";
