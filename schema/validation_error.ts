import type { Issue } from "./issue.ts";

/**
 * Thrown by `parse` for an invalid value. The message names the first
 * issue and its path, escaped for logs and cut to 200 characters each. Neither
 * the message nor the issues contain the value.
 *
 * @example Reading the issues
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

  /** The issues of the value. */
  readonly issues: readonly Issue[];

  /**
   * Creates the error.
   *
   * @param issues The issues of the value.
   */
  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    const path = truncate(first?.path.map(String).join(".") ?? "")
      .replace(/["\\]/g, "\\$&");
    const message = truncate(first?.message ?? "no issue given");
    super(
      escape(`Cannot parse value${path && ` at "${path}"`}: ${message}`),
    );
    this.issues = issues;
  }
}

/** The longest path or message of an issue in the error's message. */
const MAX_LENGTH = 200;

function truncate(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/**
 * Escapes control characters, line separators, bidirectional overrides and lone
 * surrogates: keys come from the client, and error messages end up in logs.
 */
function escape(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
