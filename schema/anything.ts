import { Node, type Sort } from "./_node.ts";
import type { Schema } from "./schema.ts";

/**
 * Takes every value, and says nothing about it.
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
 *
 * @returns The schema.
 */
export function unknown(): Schema<unknown> {
  return new Node(ANYTHING);
}

/**
 * Takes every value for what the caller says it is.
 *
 * Trust: nothing is validated. Use it only where something else already has.
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
 *
 * @returns The schema.
 */
export function any<Value = unknown>(): Schema<Value> {
  return new Node(ANYTHING) as Schema<unknown> as Schema<Value>;
}

const ANYTHING: Sort = {
  name: "any",
  run(value) {
    return value;
  },
};
