import { type Check, makeCheck } from "./check.ts";
import type { MessageOptions } from "../issue.ts";

/** A value with an order: a number, a bigint or a date. */
export type Comparable = number | bigint | Date;

/**
 * Checks the minimum of a value, inclusive.
 *
 * @example A quantity
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parseSafe } from "@gatehouse/web/data-schema";
 * import { min } from "@gatehouse/web/data-schema/checks";
 *
 * assertEquals(parseSafe(number().pipe(min(1)), 0).success, false);
 * ```
 *
 * @param bound The minimum.
 * @param options The message.
 * @returns The check.
 */
export function min<Bound extends Comparable>(
  bound: Bound,
  options: MessageOptions = {},
): Check<Comparable> {
  return makeCheck(
    "min",
    { min: bound },
    options.message,
    `Must be at least ${formatBound(bound)}`,
    (value) => value >= bound,
  );
}

/**
 * Checks the maximum of a value, inclusive.
 *
 * @example A percentage
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parseSafe } from "@gatehouse/web/data-schema";
 * import { max } from "@gatehouse/web/data-schema/checks";
 *
 * assertEquals(parseSafe(number().pipe(max(100)), 101).success, false);
 * ```
 *
 * @param bound The maximum.
 * @param options The message.
 * @returns The check.
 */
export function max<Bound extends Comparable>(
  bound: Bound,
  options: MessageOptions = {},
): Check<Comparable> {
  return makeCheck(
    "max",
    { max: bound },
    options.message,
    `Must be at most ${formatBound(bound)}`,
    (value) => value <= bound,
  );
}

/** Formats a bound for a message. */
export function formatBound(bound: unknown): string {
  return bound instanceof Date ? bound.toISOString() : String(bound);
}

/**
 * Checks that a number is a safe integer: whole, and at most 2^53 - 1.
 *
 * @example A quantity
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parseSafe } from "@gatehouse/web/data-schema";
 * import { integer } from "@gatehouse/web/data-schema/checks";
 *
 * assertEquals(parseSafe(number().pipe(integer()), 1.5).success, false);
 * ```
 *
 * @param options The message.
 * @returns The check.
 */
export function integer(options: MessageOptions = {}): Check<number> {
  return makeCheck(
    "integer",
    {},
    options.message,
    "Must be a whole number",
    Number.isSafeInteger,
  );
}

/**
 * Checks that a number is a multiple of a step. Decimal fractions work as
 * expected: 0.3 is a multiple of 0.1.
 *
 * @example A price in steps of five cents
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parseSafe } from "@gatehouse/web/data-schema";
 * import { multipleOf } from "@gatehouse/web/data-schema/checks";
 *
 * const Price = number().pipe(multipleOf(0.05));
 *
 * assertEquals(parseSafe(Price, 1.15).success, true);
 * assertEquals(parseSafe(Price, 1.12).success, false);
 * ```
 *
 * @param step The step, above 0.
 * @param options The message.
 * @returns The check.
 * @throws {RangeError} If the step is not a number above 0.
 */
export function multipleOf(
  step: number,
  options: MessageOptions = {},
): Check<number> {
  if (!(step > 0 && step < Infinity)) {
    throw new RangeError(
      `Cannot check multiples of "${step}": the step must be above 0`,
    );
  }
  return makeCheck(
    "multiple_of",
    { step },
    options.message,
    `Must be a multiple of ${step}`,
    (value) => isMultiple(value, step),
  );
}

/** Returns `true` if the quotient is whole, within rounding errors. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(step)) {
    return value % step === 0;
  }
  const quotient = value / step;
  const nearest = Math.round(quotient);
  return Math.abs(quotient - nearest) <= Math.abs(nearest) * Number.EPSILON;
}
