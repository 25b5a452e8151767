import type { RequestContext } from "../../router/mod.ts";
import type { AccountHooks } from "./hooks.ts";

/** The name of a function of the application. */
export type HookName = keyof AccountHooks | "secondFactorRequired";

/**
 * Thrown if a hook of the application takes too long, or `secondFactorRequired`. The response is a 503 with
 * `Retry-After`.
 *
 * @example Reading the name of the hook
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { AccountHookError } from "@gatehouse/web/accounts";
 *
 * const error = new AccountHookError("beforeLogin");
 * assertEquals(error.code, "account_hook_timeout");
 * assertEquals(error.hook, "beforeLogin");
 * ```
 */
export class AccountHookError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "AccountHookError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "account_hook_timeout";

  /** The name of the hook, or `"secondFactorRequired"`. */
  readonly hook: HookName;

  /**
   * Creates the error.
   *
   * @param hook The name of the hook.
   */
  constructor(hook: HookName) {
    super(`Cannot finish the request: ${hook} took too long`);
    this.hook = hook;
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
