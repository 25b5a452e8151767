import { Node, type NodeType, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";

/**
 * Creates a schema for a string.
 *
 * @example A string with checks
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
 * @param options The message for a value of another type.
 */
export function string(options: MessageOptions = {}): Schema<string> {
  return typed(new Node(STRINGS, undefined, options));
}

/** Rejects every value, because the fast path of `run` handles valid ones. */
function reject(this: Node, value: unknown): unknown {
  return wrongType(this, value);
}

const STRINGS: NodeType = {
  name: "string",
  checks: true,
  run: reject,
};

/**
 * Creates a schema for a finite number. `NaN` and the infinities are invalid.
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
 * @param options The message for a value of another type.
 */
export function number(options: MessageOptions = {}): Schema<number> {
  return typed(new Node(NUMBERS, undefined, options));
}

const NUMBERS: NodeType = {
  name: "number",
  checks: true,
  run: reject,
};

/**
 * Creates a schema for a boolean.
 *
 * @example A setting
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { boolean, parse } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(boolean(), true), true);
 * ```
 *
 * @param options The message for a value of another type.
 */
export function boolean(options: MessageOptions = {}): Schema<boolean> {
  return typed(new Node(BOOLEANS, undefined, options));
}

const BOOLEANS: NodeType = {
  name: "boolean",
  checks: true,
  run: reject,
};

/**
 * Creates a schema for a bigint.
 *
 * @example A number without limits
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { bigint, parse } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(bigint(), 2n ** 64n), 18446744073709551616n);
 * ```
 *
 * @param options The message for a value of another type.
 */
export function bigint(options: MessageOptions = {}): Schema<bigint> {
  return typed(new Node(BIGINTS, undefined, options));
}

const BIGINTS: NodeType = {
  name: "bigint",
  run(value) {
    return typeof value === "bigint" ? value : wrongType(this, value);
  },
};

/**
 * Creates a schema for a valid `Date`.
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
 * @param options The message for a value of another type.
 */
export function date(options: MessageOptions = {}): Schema<Date> {
  return typed(new Node(DATES, undefined, options));
}

const DATES: NodeType = {
  name: "date",
  run(value) {
    return value instanceof Date && !Number.isNaN(value.getTime())
      ? value
      : wrongType(this, value);
  },
};
