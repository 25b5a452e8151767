/**
 * Schemas that convert strings to values, for query strings and settings.
 *
 * @example A query
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, parse } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * const Query = object({ page: coerce.number(), all: coerce.boolean() });
 *
 * assertEquals(parse(Query, { page: "2", all: "yes" }), { page: 2, all: true });
 * ```
 *
 * @module
 */

import {
  type NodeType,
  run,
  toNode,
  typed,
  wrap,
  type Wrapper,
} from "./node.ts";
import {
  readBigint,
  readBoolean,
  readDate,
  readNumber,
} from "./parse_string.ts";
import type { MessageOptions } from "./issue.ts";
import * as strict from "./validators/primitives.ts";
import type { Schema } from "./schema.ts";

/**
 * Creates a schema that accepts a string, number, bigint or boolean, and outputs
 * a string.
 *
 * @example An identifier that may come as a number
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * assertEquals(parse(coerce.string(), 4711), "4711");
 * ```
 *
 * @param options The message for a value of another type.
 */
export function string(
  options: MessageOptions = {},
): Schema<string, string | number | bigint | boolean> {
  return coerced(strict.string(options), (value) => {
    const type = typeof value;
    return type === "number" || type === "bigint" || type === "boolean"
      ? String(value)
      : value;
  });
}

/**
 * Creates a schema that accepts a number, or a string in decimal notation.
 *
 * @example A page number
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse, parseSafe } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * assertEquals(parse(coerce.number(), "2.50"), 2.5);
 * assertEquals(parseSafe(coerce.number(), "").success, false);
 * assertEquals(parseSafe(coerce.number(), "0x10").success, false);
 * ```
 *
 * @param options The message for a value of another type.
 */
export function number(
  options: MessageOptions = {},
): Schema<number, number | string> {
  return coerced(strict.number(options), fromString(readNumber));
}

/**
 * Creates a schema that accepts a boolean, or one of the strings `true`, `on`,
 * `yes`, `1`, `false`, `off`, `no` and `0` in either case.
 *
 * @example A setting
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse, parseSafe } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * assertEquals(parse(coerce.boolean(), "off"), false);
 * assertEquals(parseSafe(coerce.boolean(), "maybe").success, false);
 * ```
 *
 * @param options The message for a value of another type.
 */
export function boolean(
  options: MessageOptions = {},
): Schema<boolean, boolean | string> {
  return coerced(strict.boolean(options), fromString(readBoolean));
}

/**
 * Creates a schema that accepts a bigint, a safe integer, or a string of at most
 * 400 decimal digits.
 *
 * @example A large identifier
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * assertEquals(parse(coerce.bigint(), "9007199254740993"), 9007199254740993n);
 * ```
 *
 * @param options The message for a value of another type.
 */
export function bigint(
  options: MessageOptions = {},
): Schema<bigint, bigint | number | string> {
  return coerced(strict.bigint(options), (value) => {
    if (typeof value === "string") return readBigint(value);
    return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  });
}

/**
 * Creates a schema that accepts a `Date`, milliseconds since 1970, or a string.
 *
 * The string is a date, a date and time with an offset, or the value of a
 * `datetime-local` input. Without an offset, it is UTC.
 *
 * @example A day
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse } from "@gatehouse/web/data-schema";
 * import * as coerce from "@gatehouse/web/data-schema/coerce";
 *
 * const day = parse(coerce.date(), "2026-11-20");
 *
 * assertEquals(day.toISOString(), "2026-11-20T00:00:00.000Z");
 * ```
 *
 * @param options The message for a value of another type.
 */
export function date(
  options: MessageOptions = {},
): Schema<Date, Date | number | string> {
  return coerced(strict.date(options), (value) => {
    if (typeof value === "string") return readDate(value);
    return typeof value === "number" ? new Date(value) : value;
  });
}

function fromString(
  read: (text: string) => unknown,
): (value: unknown) => unknown {
  return (value) => typeof value === "string" ? read(value) : value;
}

function coerced<Output, Input>(
  schema: Schema<Output>,
  arg: (value: unknown) => unknown,
): Schema<Output, Input> {
  return typed(wrap(COERCED, toNode(schema), arg));
}

const COERCED: NodeType = {
  name: "coerced",
  run(value, context) {
    const { inner, arg } = this.parts as Wrapper;
    return run(inner, (arg as (value: unknown) => unknown)(value), context);
  },
};
