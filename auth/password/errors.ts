/**
 * Thrown when so many passwords wait to be hashed that one more would only wait
 * in vain. Answer 503, and let the client try again in a few seconds.
 *
 * @example Telling it apart by its code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { PasswordQueueFullError } from "@gatehouse/web/auth/password";
 *
 * const error = new PasswordQueueFullError(64);
 * assertEquals(error.code, "password_queue_full");
 * ```
 */
export class PasswordQueueFullError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "PasswordQueueFullError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "password_queue_full";

  /** How many passwords were waiting. */
  readonly waiting: number;

  /**
   * Creates the error.
   *
   * @param waiting How many passwords were waiting.
   */
  constructor(waiting: number) {
    super(`Cannot hash the password: ${waiting} are waiting already`);
    this.waiting = waiting;
  }
}

/**
 * Thrown by `hashPassword` for a password that the application's `refuse` hook
 * knows to be common or breached. Ask the user for another one.
 *
 * @example Telling it apart by its code
 * ```ts
 * import { assertEquals, assertRejects } from "@std/assert";
 * import {
 *   hashPassword,
 *   PasswordRefusedError,
 * } from "@gatehouse/web/auth/password";
 *
 * const common = new Set(["12345678", "password"]);
 * const error = await assertRejects(
 *   () =>
 *     hashPassword("password", { refuse: (password) => common.has(password) }),
 *   PasswordRefusedError,
 * );
 * assertEquals(error.code, "password_refused");
 * ```
 */
export class PasswordRefusedError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "PasswordRefusedError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "password_refused";

  /** Creates the error. It does not carry the password. */
  constructor() {
    super("Cannot hash the password: it is refused as common or breached");
  }
}
