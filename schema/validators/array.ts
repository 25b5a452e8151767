import {
  addPart,
  andThen,
  type Context,
  Failure,
  isPart,
  MAX_ISSUES,
  type Part,
  resolveParts,
} from "../failure.ts";
import {
  Node,
  type NodeType,
  run,
  runChecks,
  toNode,
  typed,
  wrongType,
} from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema for an array of items.
 *
 * An array that exceeds a `maxLength` of the first `pipe` fails before any item
 * is validated.
 *
 * @example An array of tags
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, parse, string } from "@gatehouse/web/data-schema";
 * import { maxLength } from "@gatehouse/web/data-schema/checks";
 *
 * const Tags = array(string()).pipe(maxLength(10));
 *
 * assertEquals(parse(Tags, ["a", "b"]), ["a", "b"]);
 * ```
 *
 * @param item The schema of every item.
 * @param options The message for a value of another type.
 */
export function array<Item extends StandardSchemaV1>(
  item: Item,
  options: MessageOptions = {},
): Schema<InferOutput<Item>[], InferInput<Item>[]> {
  return typed(new Node(ARRAYS, toNode(item), options));
}

const ARRAYS: NodeType = {
  name: "array",
  checks: true,
  run(value, context) {
    if (!Array.isArray(value)) return wrongType(this, value);
    const { checks } = this;
    for (const { code, test } of checks) {
      if (code === "max_length" && !test(value as never)) {
        return runChecks(this, value);
      }
    }
    const result = validateItems(this.parts as Node, value, context);
    return checks.length === 0
      ? result
      : andThen(result, (list) => runChecks(this, list));
  },
};

function validateItems(
  item: Node,
  input: readonly unknown[],
  context: Context,
): unknown {
  const { length } = input;
  let output: unknown[] | undefined = context.copy ? [] : undefined;
  let failed: Part[] | undefined;
  let failures = 0;
  for (let index = 0; index < length; index++) {
    const value = input[index];
    const result = run(item, value, context);
    if (result === value && output === undefined) continue;
    if (isPart(result)) {
      failed = addPart(failed, result, index);
      if (result instanceof Failure) {
        if (++failures >= MAX_ISSUES) break;
        continue;
      }
    }
    output ??= input.slice(0, index);
    output[index] = result;
  }
  return failed ? resolveParts(failed, output) : output ?? input;
}
