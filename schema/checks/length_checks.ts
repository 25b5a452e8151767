import { type Check, makeCheck } from "./check.ts";
import type { MessageOptions } from "../issue.ts";

/** A value with a length: a string or an array. */
export type Sized = string | readonly unknown[];

/**
 * Checks the minimum length of a string or array. Strings are measured in code
 * points, as in JSON Schema.
 *
 * @example A password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { minLength } from "@gatehouse/web/data-schema/checks";
 *
 * const Password = string().pipe(minLength(8));
 *
 * assertEquals(parseSafe(Password, "secret").success, false);
 * ```
 *
 * @param min The minimum length.
 * @param options The message.
 * @returns The check.
 */
export function minLength(
  min: number,
  options: MessageOptions = {},
): Check<Sized> {
  return makeCheck(
    "min_length",
    { min },
    options.message,
    `Expected length at least ${min}`,
    (value) => {
      // `spare` counts the surrogate pairs that would still leave `min` code
      // points. The loop ends when the rest can't contain more of them.
      let spare = value.length - min;
      for (let at = 0; spare >= 0 && value.length - at >> 1 > spare; at++) {
        if ((value as string).codePointAt?.(at)! > 0xffff) spare--;
      }
      return spare >= 0;
    },
  );
}

/**
 * Checks the maximum length of a string or array. Strings are measured in code
 * points, as in JSON Schema.
 *
 * @example A title
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { maxLength } from "@gatehouse/web/data-schema/checks";
 *
 * const Title = string().pipe(maxLength(80));
 *
 * assertEquals(parseSafe(Title, "a".repeat(81)).success, false);
 * ```
 *
 * @param max The maximum length.
 * @param options The message.
 * @returns The check.
 */
export function maxLength(
  max: number,
  options: MessageOptions = {},
): Check<Sized> {
  return makeCheck(
    "max_length",
    { max },
    options.message,
    `Expected length at most ${max}`,
    (value) =>
      value.length <= max || value.length <= 2 * max && sizeOf(value) <= max,
  );
}

/** Returns the number of items or code points. */
function sizeOf(value: Sized): number {
  let size = value.length;
  if (typeof value === "string") {
    for (let index = 0; index < value.length; index++) {
      if (value.codePointAt(index)! > 0xffff) size--;
    }
  }
  return size;
}

/**
 * Checks the exact length of a string or array. Strings are measured in code
 * points, as in JSON Schema.
 *
 * @example A code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { length } from "@gatehouse/web/data-schema/checks";
 *
 * const Code = string().pipe(length(6));
 *
 * assertEquals(parseSafe(Code, "123456").success, true);
 * ```
 *
 * @param size The length.
 * @param options The message.
 * @returns The check.
 */
export function length(
  size: number,
  options: MessageOptions = {},
): Check<Sized> {
  return makeCheck(
    "length",
    { length: size },
    options.message,
    `Expected length ${size}`,
    (value) =>
      value.length >= size && value.length <= 2 * size &&
      sizeOf(value) === size,
  );
}
