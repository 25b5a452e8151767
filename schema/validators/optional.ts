import { copyPlain } from "../copy.ts";
import {
  call,
  type NodeType,
  run,
  toNode,
  typed,
  wrap,
  type Wrapper,
} from "../node.ts";
import type { DefaultedSchema, OptionalSchema, Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema that accepts a missing value. In an object, the key is then
 * missing from the output, even if the input has an explicit `undefined`.
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
 * @param schema The schema of a present value.
 */
export function optional<Inner extends StandardSchemaV1>(
  schema: Inner,
): OptionalSchema<
  InferOutput<Inner> | undefined,
  InferInput<Inner> | undefined
> {
  return typed(wrap(OPTIONAL, toNode(schema)));
}

const OPTIONAL: NodeType = {
  name: "optional",
  run(value, context) {
    if (value === undefined) return value;
    return run((this.parts as Wrapper).inner, value, context);
  },
};

/**
 * Creates a schema that also accepts `null`.
 *
 * @example A value or null
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { nullable, parse, string } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(nullable(string()), null), null);
 * ```
 *
 * @param schema The schema of other values.
 */
export function nullable<Inner extends StandardSchemaV1>(
  schema: Inner,
): Schema<InferOutput<Inner> | null, InferInput<Inner> | null> {
  return typed(wrap(NULLABLE, toNode(schema)));
}

const NULLABLE: NodeType = {
  name: "nullable",
  run(value, context) {
    if (value === null) return value;
    return run((this.parts as Wrapper).inner, value, context);
  },
};

/**
 * Creates a schema that replaces a missing value with a default. The default is
 * not validated.
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
 * @param schema The schema of a present value.
 * @param value The default, or a function that returns it. The function is
 * called for each missing value, and its result is not copied.
 * @throws {TypeError} If the default contains itself, or nests deeper than 100
 * levels.
 */
export function defaulted<Inner extends StandardSchemaV1>(
  schema: Inner,
  value: InferOutput<Inner> | (() => InferOutput<Inner>),
): DefaultedSchema<InferOutput<Inner>, InferInput<Inner> | undefined> {
  return typed(wrap(DEFAULTED, toNode(schema), copyPlain(value)));
}

const DEFAULTED: NodeType = {
  name: "defaulted",
  run(value, context) {
    const { inner, arg } = this.parts as Wrapper;
    if (value !== undefined) return run(inner, value, context);
    return typeof arg === "function"
      ? call(arg as () => unknown, value)
      : copyPlain(arg);
  },
};
