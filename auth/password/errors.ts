/** Seconds after which a client may try again, unless the queue knows better. */
const RETRY_AFTER = 10;

/**
 * Thrown when so many passwords wait to be hashed that one more would wait too
 * long. If nothing catches it, the router answers 503 with `Retry-After`.
 *
 * @example The response to it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { PasswordQueueFullError } from "@gatehouse/web/auth/password";
 *
 * const error = new PasswordQueueFullError(64);
 * assertEquals(error.code, "password_queue_full");
 * assertEquals(error.toResponse().status, 503);
 * assertEquals(error.toResponse().headers.get("Retry-After"), "10");
 * ```
 */
export class PasswordQueueFullError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "PasswordQueueFullError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "password_queue_full";

  /** The number of passwords that were waiting. */
  readonly waiting: number;

  /** Seconds after which a client may try again. */
  readonly retryAfter: number;

  /**
   * Creates the error.
   *
   * @param waiting The number of passwords that were waiting.
   * @param retryAfter Seconds after which a client may try again.
   */
  constructor(waiting: number, retryAfter: number = RETRY_AFTER) {
    super(`Cannot hash the password: ${waiting} are waiting already`);
    this.waiting = waiting;
    this.retryAfter = retryAfter;
  }

  /**
   * Creates the response: 503 Service Unavailable, which no cache stores.
   *
   * @returns The response.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4 | RFC 9110, 503 Service Unavailable}
   */
  toResponse(): Response {
    return new Response("Service Unavailable", {
      status: 503,
      headers: {
        "Cache-Control": "no-store",
        "Retry-After": String(this.retryAfter),
      },
    });
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
