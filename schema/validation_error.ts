import type { Issue } from "./issue.ts";

/**
 * Thrown by `parse` for a value that does not pass. It tells what is wrong
 * and where, and never holds the value.
 *
 * @example Telling what is wrong
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { parse, string, ValidationError } from "@gatehouse/web/data-schema";
 *
 * const error = assertThrows(() => parse(string(), 1), ValidationError);
 *
 * assertEquals(error.issues[0]?.message, "Expected string");
 * ```
 */
export class ValidationError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "ValidationError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "validation_failed";

  /** What is wrong. */
  readonly issues: readonly Issue[];

  /**
   * Creates the error.
   *
   * @param issues What is wrong.
   */
  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    const where = first?.path.map(String).join(".");
    super(
      `Cannot parse value${where ? ` at "${where}"` : ""}: ${
        first?.message ?? "no issue given"
      }`,
    );
    this.issues = issues;
  }
}
