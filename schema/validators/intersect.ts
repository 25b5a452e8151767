import {
  addPart,
  andThen,
  failWith,
  isPart,
  type Part,
  resolveParts,
} from "../failure.ts";
import { isPlain } from "../copy.ts";
import { Node, type NodeType, run, toNode, typed } from "../node.ts";
import { cacheResults } from "./lazy.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema for a value that two schemas accept. Their outputs are merged.
 *
 * @example Two schemas for one object
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { intersect, number, object, parse, string } from "@gatehouse/web/data-schema";
 *
 * const Named = object({ name: string() });
 * const Aged = object({ age: number() });
 *
 * assertEquals(parse(intersect(Named, Aged), { name: "Ada", age: 36 }), {
 *   name: "Ada",
 *   age: 36,
 * });
 * ```
 *
 * @param first The first schema.
 * @param second The second schema.
 */
export function intersect<
  First extends StandardSchemaV1,
  Second extends StandardSchemaV1,
>(
  first: First,
  second: Second,
): Schema<
  InferOutput<First> & InferOutput<Second>,
  InferInput<First> & InferInput<Second>
> {
  const nodes = [toNode(first), toNode(second)];
  const node = new Node(INTERSECTIONS, nodes, {
    expected: nodes[0]!.expected,
  });
  return typed(node);
}

const INTERSECTIONS: NodeType = {
  name: "intersect",
  run(value, context) {
    if (typeof value === "object") cacheResults(context);
    let failed: Part[] | undefined;
    const output: unknown[] = [];
    for (const node of this.parts as readonly Node[]) {
      const result = run(node, value, context);
      if (isPart(result)) {
        failed = addPart(failed, result, output.length);
      }
      output.push(result);
    }
    // Both schemas validate the whole value, so their issues have no key.
    for (const part of failed ?? []) part.key = undefined;
    return andThen(resolveParts(failed, output), () => {
      const [first, second] = output;
      const merged = mergeOutputs(first, second);
      if (merged !== CONFLICT) return merged;
      return failWith("conflict", "Schemas give different values");
    });
  },
};

/** The result of merging two different values. */
const CONFLICT = {};

/**
 * Merges two outputs: objects key by key, arrays item by item, dates with the
 * same time, and other values if they are the same.
 */
function mergeOutputs(first: unknown, second: unknown): unknown {
  if (Object.is(first, second)) return first;
  if (Array.isArray(first) && Array.isArray(second)) {
    if (first.length !== second.length) return CONFLICT;
    const items = first.map((item, index) => mergeOutputs(item, second[index]));
    return items.includes(CONFLICT) ? CONFLICT : items;
  }
  if (first instanceof Date && second instanceof Date) {
    return first.getTime() === second.getTime() ? first : CONFLICT;
  }
  if (!isPlain(first) || !isPlain(second)) return CONFLICT;
  const output: Record<string, unknown> = {};
  for (const [key, value] of [first, second].flatMap(Object.entries)) {
    if (key === "__proto__") continue;
    const merged = Object.hasOwn(output, key)
      ? mergeOutputs(output[key], value)
      : value;
    if (merged === CONFLICT) return CONFLICT;
    output[key] = merged;
  }
  return output;
}
