import type { RequestContext } from "../../router/mod.ts";

/** The default seconds after which a client may try again. */
const RETRY_AFTER = 10;

/**
 * Thrown if the queue of passwords to hash is full, or a password waited too
 * long. If nothing catches it, the router answers 503 with `Retry-After`.
 *
 * @example Recognizing it by its code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { PasswordQueueFullError } from "@gatehouse/web/auth/password";
 *
 * const error = new PasswordQueueFullError(64);
 * assertEquals(error.code, "password_queue_full");
 * assertEquals(error.retryAfter, 10);
 * ```
 */
export class PasswordQueueFullError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "PasswordQueueFullError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "password_queue_full";

  /** The number of waiting passwords. */
  readonly waiting: number;

  /** The seconds after which a client may try again. */
  readonly retryAfter: number;

  /**
   * Creates the error.
   *
   * @param waiting The number of waiting passwords.
   * @param retryAfter The seconds after which a client may try again.
   */
  constructor(waiting: number, retryAfter: number = RETRY_AFTER) {
    super(`Cannot hash the password: ${waiting} are waiting already`);
    this.waiting = waiting;
    this.retryAfter = retryAfter;
  }

  /**
   * Creates a 503 response, which caches do not store.
   *
   * @param context The context of the request.
   * @returns The response.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4 | RFC 9110, 503 Service Unavailable}
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    return context.createErrorResponse({ status: 503 }, {
      "Cache-Control": "no-store",
      "Retry-After": String(this.retryAfter),
    });
  }
}

/**
 * Thrown by `hashPassword` for a password that the application's `refuse`
 * option rejects. Ask the user for another one.
 *
 * @example Reading its code
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
