/**
 * Schemas that read values out of texts, for queries, settings and whatever
 * else has no types.
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

import { type Around, run, type Sort, toNode, wrap } from "./_node.ts";
import { readBigint, readBoolean, readDate, readNumber } from "./_parse_string.ts";
import type { MessageOptions } from "./issue.ts";
import * as strict from "./primitives.ts";
import type { Schema } from "./schema.ts";

/**
 * Takes a text, a number, a big integer or a boolean, and gives a text.
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
 * @param options What to say where the value is none of these.
 * @returns The schema.
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
 * Takes a number, or a text that is one in decimal notation.
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
 * @param options What to say where the value is no number.
 * @returns The schema.
 */
export function number(
  options: MessageOptions = {},
): Schema<number, number | string> {
  return coerced(strict.number(options), fromText(readNumber));
}

/**
 * Takes a boolean, or one of the texts `true`, `on`, `yes`, `1`, `false`,
 * `off`, `no` and `0`.
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
 * @param options What to say where the value is neither.
 * @returns The schema.
 */
export function boolean(
  options: MessageOptions = {},
): Schema<boolean, boolean | string> {
  return coerced(strict.boolean(options), fromText(readBoolean));
}

/**
 * Takes a big integer, a whole number, or a text that is one in decimal
 * notation, of at most 400 digits.
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
 * @param options What to say where the value is no integer.
 * @returns The schema.
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
 * Takes a date, milliseconds since 1970, or a text: a date, a date and time
 * with offset, or what a `datetime-local` field sends. Without an offset the
 * text is UTC.
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
 * @param options What to say where the value is no date.
 * @returns The schema.
 */
export function date(
  options: MessageOptions = {},
): Schema<Date, Date | number | string> {
  return coerced(strict.date(options), (value) => {
    if (typeof value === "string") return readDate(value);
    return typeof value === "number" ? new Date(value) : value;
  });
}

function fromText(
  read: (text: string) => unknown,
): (value: unknown) => unknown {
  return (value) => typeof value === "string" ? read(value) : value;
}

function coerced<Output, Input>(
  schema: Schema<Output>,
  act: (value: unknown) => unknown,
): Schema<Output, Input> {
  const node = wrap(COERCED, toNode(schema), act);
  return node as Schema<unknown> as Schema<Output, Input>;
}

const COERCED: Sort = {
  name: "coerced",
  run(value, context) {
    const { inner, act } = this.parts as Around;
    return run(inner, (act as (value: unknown) => unknown)(value), context);
  },
};
