import { copyPlain } from "./_copy.ts";
import { type Around, call, run, type Sort, toNode, wrap } from "./_node.ts";
import type { DefaultedSchema, OptionalSchema, Schema } from "./schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "./standard_schema.ts";

/**
 * Lets a value be missing. In an object, the key is then missing from the
 * output too, even where the input holds an explicit `undefined`.
 *
 * @example A property that may be missing
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, optional, parse, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ name: string(), bio: optional(string()) });
 *
 * assertEquals(parse(User, { name: "Ada" }), { name: "Ada" });
 * ```
 *
 * @param schema The schema of the value, if there is one.
 * @returns The schema.
 */
export function optional<Inner extends StandardSchemaV1>(
  schema: Inner,
): OptionalSchema<
  InferOutput<Inner> | undefined,
  InferInput<Inner> | undefined
> {
  return wrap(OPTIONAL, toNode(schema)) as Schema<unknown> as OptionalSchema<
    InferOutput<Inner> | undefined,
    InferInput<Inner> | undefined
  >;
}

const OPTIONAL: Sort = {
  name: "optional",
  run(value, context) {
    if (value === undefined) return value;
    return run((this.parts as Around).inner, value, context);
  },
};

/**
 * Lets a value be `null`.
 *
 * @example A value or null
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { nullable, parse, string } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(nullable(string()), null), null);
 * ```
 *
 * @param schema The schema of the value where it is not `null`.
 * @returns The schema.
 */
export function nullable<Inner extends StandardSchemaV1>(
  schema: Inner,
): Schema<InferOutput<Inner> | null, InferInput<Inner> | null> {
  return wrap(NULLABLE, toNode(schema)) as Schema<unknown> as Schema<
    InferOutput<Inner> | null,
    InferInput<Inner> | null
  >;
}

const NULLABLE: Sort = {
  name: "nullable",
  run(value, context) {
    if (value === null) return value;
    return run((this.parts as Around).inner, value, context);
  },
};

/**
 * Returns a default for a missing value. The default is not validated.
 *
 * Each use returns a fresh copy of the default, so that no request sees another
 * request's changes. Plain objects, arrays, dates, maps and sets are copied at
 * every depth. Instances of other classes are shared: pass a function that
 * creates them.
 *
 * @example A page number
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { defaulted, number, object, parse } from "@gatehouse/web/data-schema";
 *
 * const Query = object({ page: defaulted(number(), 1) });
 *
 * assertEquals(parse(Query, {}), { page: 1 });
 * ```
 *
 * @param schema The schema of the value where there is one.
 * @param value The default, or a function that returns it. The function is
 * called for each missing value, and its result is not copied.
 * @returns The schema.
 * @throws {TypeError} If the default contains itself, or nests deeper than 100
 * levels.
 */
export function defaulted<Inner extends StandardSchemaV1>(
  schema: Inner,
  value: InferOutput<Inner> | (() => InferOutput<Inner>),
): DefaultedSchema<InferOutput<Inner>, InferInput<Inner> | undefined> {
  return wrap(DEFAULTED, toNode(schema), copyPlain(value)) as Schema<
    unknown
  > as DefaultedSchema<
    InferOutput<Inner>,
    InferInput<Inner> | undefined
  >;
}

const DEFAULTED: Sort = {
  name: "defaulted",
  run(value, context) {
    const { inner, act } = this.parts as Around;
    if (value !== undefined) return run(inner, value, context);
    return typeof act === "function"
      ? call(act as () => unknown, value)
      : copyPlain(act);
  },
};
