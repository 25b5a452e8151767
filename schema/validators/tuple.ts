import {
  addPart,
  failWith,
  isPart,
  type Part,
  resolveParts,
} from "../failure.ts";
import { Node, type NodeType, run, toNode, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/** The output of a tuple of these schemas. */
export type TupleOutput<Items extends readonly StandardSchemaV1[]> = {
  -readonly [Index in keyof Items]: InferOutput<Items[Index]>;
};

/** The input of a tuple of these schemas. */
export type TupleInput<Items extends readonly StandardSchemaV1[]> = {
  -readonly [Index in keyof Items]: InferInput<Items[Index]>;
};

/**
 * Creates a schema for an array of fixed length.
 *
 * @example A point
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parse, tuple } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(tuple([number(), number()]), [3, 4]), [3, 4]);
 * ```
 *
 * @param items The schema of each item.
 * @param options The message for a value of another type.
 */
export function tuple<const Items extends readonly StandardSchemaV1[]>(
  items: Items,
  options: MessageOptions = {},
): Schema<TupleOutput<Items>, TupleInput<Items>> {
  return typed(new Node(TUPLES, items.map(toNode), options));
}

const TUPLES: NodeType = {
  name: "tuple",
  run(value, context) {
    if (!Array.isArray(value)) return wrongType(this, value);
    const items = this.parts as readonly Node[];
    const { length } = items;
    if (value.length !== length) {
      const text = `Expected ${length} items`;
      return failWith("length", text, { length }, this.message);
    }
    let output: unknown[] | undefined = context.copy ? [] : undefined;
    let failed: Part[] | undefined;
    for (let index = 0; index < length; index++) {
      const result = run(items[index]!, value[index], context);
      if (isPart(result)) failed = addPart(failed, result, index);
      if (result === value[index] && output === undefined) continue;
      output ??= value.slice(0, index);
      output[index] = result;
    }
    return resolveParts(failed, output ?? value);
  },
};
