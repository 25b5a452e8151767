import { type Check, makeCheck } from "./check.ts";
import type { MessageOptions } from "../issue.ts";

/**
 * Checks that a string matches a regular expression. Use `^` and `$` to match the
 * whole string.
 *
 * Trust: an expression that backtracks lets a malicious string block the process.
 * Put `maxLength` or `length` into the same `pipe`, in any order, or before it: the
 * expression does not run on strings that are too long.
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
    (value) => stateless.test(value),
  );
}

/**
 * Checks that a string starts with a prefix.
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
 * @param text The prefix.
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
 * Checks that a string ends with a suffix.
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
 * @param text The suffix.
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
 * Checks that a string contains a substring.
 *
 * @example A string with a character
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
 * @param text The substring.
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
