import { type Check, makeCheck } from "./check.ts";
import type { MessageOptions } from "./issue.ts";

/**
 * Asks for a match of a regular expression, anywhere in the text unless the
 * expression says otherwise.
 *
 * Trust: the expression is yours. One that backtracks lets a hostile text stop
 * the process; put `maxLength` before it.
 *
 * @example A colour
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { pattern } from "@gatehouse/web/data-schema/checks";
 *
 * const Colour = string().pipe(pattern(/^#[\da-f]{6}$/));
 *
 * assertEquals(parseSafe(Colour, "#ff8800").success, true);
 * ```
 *
 * @param expression The regular expression. Its flags `g` and `y` are ignored.
 * @param options The message.
 * @returns The check.
 */
export function pattern(
  expression: RegExp,
  options: MessageOptions = {},
): Check<string> {
  const { source, flags } = expression;
  const stateless = new RegExp(source, flags.replace(/[gy]/g, ""));
  return makeCheck(
    "pattern",
    stateless.flags
      ? { pattern: source, flags: stateless.flags }
      : { pattern: source },
    options.message,
    "Invalid format",
    (text) => stateless.test(text),
  );
}

/**
 * Asks for a beginning.
 *
 * @example A key of a certain kind
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { startsWith } from "@gatehouse/web/data-schema/checks";
 *
 * const Key = string().pipe(startsWith("key_"));
 *
 * assertEquals(parseSafe(Key, "key_1").success, true);
 * ```
 *
 * @param text What the text must start with.
 * @param options The message.
 * @returns The check.
 */
export function startsWith(
  text: string,
  options: MessageOptions = {},
): Check<string> {
  return makeCheck(
    "starts_with",
    { text },
    options.message,
    `Must start with "${text}"`,
    (value) => value.startsWith(text),
  );
}

/**
 * Asks for an end.
 *
 * @example A file name
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { endsWith } from "@gatehouse/web/data-schema/checks";
 *
 * const Name = string().pipe(endsWith(".txt"));
 *
 * assertEquals(parseSafe(Name, "notes.txt").success, true);
 * ```
 *
 * @param text What the text must end with.
 * @param options The message.
 * @returns The check.
 */
export function endsWith(
  text: string,
  options: MessageOptions = {},
): Check<string> {
  return makeCheck(
    "ends_with",
    { text },
    options.message,
    `Must end with "${text}"`,
    (value) => value.endsWith(text),
  );
}

/**
 * Asks for a part.
 *
 * @example A text with a sign
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { includes } from "@gatehouse/web/data-schema/checks";
 *
 * const Handle = string().pipe(includes("@"));
 *
 * assertEquals(parseSafe(Handle, "ada").success, false);
 * ```
 *
 * @param text What the text must contain.
 * @param options The message.
 * @returns The check.
 */
export function includes(
  text: string,
  options: MessageOptions = {},
): Check<string> {
  return makeCheck(
    "includes",
    { text },
    options.message,
    `Must contain "${text}"`,
    (value) => value.includes(text),
  );
}
