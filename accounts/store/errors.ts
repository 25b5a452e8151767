import type { RequestContext } from "../../router/mod.ts";
import { safeCause } from "../../session/internal.ts";
import type { SafeCause } from "../../session/mod.ts";

/**
 * Thrown if the database of the accounts fails. The response is a 503 with
 * `Retry-After`, and the user stays logged in.
 *
 * @example Reading its cause
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { AccountStoreError } from "@gatehouse/web/accounts/store";
 *
 * const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
 * const error = new AccountStoreError({ cause });
 * assertEquals(error.code, "account_store_failed");
 * assertEquals(error.cause?.code, "ECONNREFUSED");
 * ```
 */
export class AccountStoreError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "AccountStoreError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "account_store_failed";

  /** The name, code and safe part of the message of the driver's error. */
  declare readonly cause?: SafeCause;

  /**
   * Creates the error.
   *
   * @param options The driver's error.
   */
  constructor(options: ErrorOptions = {}) {
    const cause = safeCause(options.cause);
    super(
      "Cannot use the account store: the database failed",
      cause === undefined ? undefined : { cause },
    );
  }

  /**
   * Creates the response: a 503 with `Retry-After`.
   *
   * @param context The context of the request.
   * @returns The response.
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    // The router prints no error that has a response.
    console.error(this);
    return context.createErrorResponse({ status: 503 }, {
      "Cache-Control": "no-store",
      "Retry-After": "5",
    });
  }
}
