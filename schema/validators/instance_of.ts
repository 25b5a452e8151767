import { Node, type NodeType, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";

/**
 * Creates a schema for the instances of a class.
 *
 * @example A file
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { instanceof_, parseSafe } from "@gatehouse/web/data-schema";
 *
 * const file = new File(["hello"], "hello.txt");
 *
 * assertEquals(parseSafe(instanceof_(File), file).success, true);
 * ```
 *
 * @param type The class.
 * @param options The message for a value that is not an instance.
 */
export function instanceof_<Instance>(
  type: abstract new (...args: never[]) => Instance,
  options: MessageOptions = {},
): Schema<Instance> {
  return typed(new Node(INSTANCES, type, { ...options, expected: type.name }));
}

const INSTANCES: NodeType = {
  name: "instance",
  run(value) {
    const type = this.parts as abstract new () => unknown;
    return value instanceof type ? value : wrongType(this, value);
  },
};
