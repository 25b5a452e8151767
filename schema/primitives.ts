import { Node, type Sort, wrongType } from "./_node.ts";
import type { MessageOptions } from "./issue.ts";
import type { Schema } from "./schema.ts";

/**
 * Describes a text.
 *
 * @example A text with checks
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse, string } from "@gatehouse/web/data-schema";
 * import { maxLength } from "@gatehouse/web/data-schema/checks";
 *
 * const Title = string().pipe(maxLength(80));
 *
 * assertEquals(parse(Title, "Gatehouse"), "Gatehouse");
 * ```
 *
 * @param options What to say where the value is no text.
 * @returns The schema.
 */
export function string(options: MessageOptions = {}): Schema<string> {
  const node = new Node(STRINGS, undefined, options);
  return node as Schema<unknown> as Schema<string>;
}

/** Refuses what `run` has not recognized. */
function refuse(this: Node, value: unknown): unknown {
  return wrongType(this, value);
}

const STRINGS: Sort = {
  name: "string",
  checks: true,
  run: refuse,
};

/**
 * Describes a number. `NaN` and the infinities are none.
 *
 * @example A number within bounds
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parseSafe } from "@gatehouse/web/data-schema";
 * import { max, min } from "@gatehouse/web/data-schema/checks";
 *
 * const Age = number().pipe(min(0), max(150));
 *
 * assertEquals(parseSafe(Age, 42).success, true);
 * assertEquals(parseSafe(Age, NaN).success, false);
 * ```
 *
 * @param options What to say where the value is no number.
 * @returns The schema.
 */
export function number(options: MessageOptions = {}): Schema<number> {
  const node = new Node(NUMBERS, undefined, options);
  return node as Schema<unknown> as Schema<number>;
}

const NUMBERS: Sort = {
  name: "number",
  checks: true,
  run: refuse,
};

/**
 * Describes `true` or `false`.
 *
 * @example A setting
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { boolean, parse } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(boolean(), true), true);
 * ```
 *
 * @param options What to say where the value is neither.
 * @returns The schema.
 */
export function boolean(options: MessageOptions = {}): Schema<boolean> {
  const node = new Node(BOOLEANS, undefined, options);
  return node as Schema<unknown> as Schema<boolean>;
}

const BOOLEANS: Sort = {
  name: "boolean",
  checks: true,
  run: refuse,
};

/**
 * Describes a big integer.
 *
 * @example A number without limits
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { bigint, parse } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(bigint(), 2n ** 64n), 18446744073709551616n);
 * ```
 *
 * @param options What to say where the value is no big integer.
 * @returns The schema.
 */
export function bigint(options: MessageOptions = {}): Schema<bigint> {
  const node = new Node(BIGINTS, undefined, options);
  return node as Schema<unknown> as Schema<bigint>;
}

const BIGINTS: Sort = {
  name: "bigint",
  run(value) {
    return typeof value === "bigint" ? value : wrongType(this, value);
  },
};

/**
 * Describes a `Date` that is one: an invalid date does not pass.
 *
 * @example A point in time
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { date, parseSafe } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parseSafe(date(), new Date(0)).success, true);
 * assertEquals(parseSafe(date(), new Date(NaN)).success, false);
 * ```
 *
 * @param options What to say where the value is no date.
 * @returns The schema.
 */
export function date(options: MessageOptions = {}): Schema<Date> {
  const node = new Node(DATES, undefined, options);
  return node as Schema<unknown> as Schema<Date>;
}

const DATES: Sort = {
  name: "date",
  run(value) {
    return value instanceof Date && !Number.isNaN(value.getTime())
      ? value
      : wrongType(this, value);
  },
};
