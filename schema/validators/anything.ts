import { Node, type NodeType, typed } from "../node.ts";
import type { Schema } from "../schema.ts";

/**
 * Creates a schema that accepts every value as `unknown`.
 *
 * @example A part that is passed on
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, parse, string, unknown } from "@gatehouse/web/data-schema";
 *
 * const Event = object({ type: string(), payload: unknown() });
 * const event = { type: "created", payload: [1, "a"] };
 *
 * assertEquals(parse(Event, event), event);
 * ```
 */
export function unknown(): Schema<unknown> {
  return new Node(ANYTHING);
}

/**
 * Creates a schema that accepts every value, with the type that the caller gives.
 *
 * Trust: it validates nothing. Use it only for values that were validated before.
 *
 * @example A value that was validated before
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { any, parse } from "@gatehouse/web/data-schema";
 *
 * const url = parse(any<URL>(), new URL("https://example.com/"));
 *
 * assertEquals(url.hostname, "example.com");
 * ```
 */
export function any<Value = unknown>(): Schema<Value> {
  return typed(new Node(ANYTHING));
}

const ANYTHING: NodeType = {
  name: "any",
  run(value) {
    return value;
  },
};
