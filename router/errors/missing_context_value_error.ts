/**
 * Thrown by {@linkcode RequestContext.get} for a key without a value and without
 * a default. Usually a middleware is missing, or runs too late.
 *
 * @example Recognizing it by its code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { MissingContextValueError } from "@gatehouse/web/fetch-router";
 *
 * const error = new MissingContextValueError("Session");
 * assertEquals(error.code, "missing_context_value");
 * ```
 */
export class MissingContextValueError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "MissingContextValueError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "missing_context_value";

  /** The name of the key that was read. */
  readonly key: string;

  /**
   * Creates the error.
   *
   * @param key The name of the key that was read.
   */
  constructor(key: string) {
    super(
      `Cannot read context key "${key}": it has no value and no default`,
    );
    this.key = key;
  }
}
