import { Node, type NodeType, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";

/** A primitive value that `literal()` and `picklist()` accept. */
export type Literal = string | number | bigint | boolean | null | undefined;

/**
 * Creates a schema for one of several values, an enumeration. `enum_` is another
 * name of the same function.
 *
 * @example A role
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { picklist, parse } from "@gatehouse/web/data-schema";
 *
 * const Role = picklist(["user", "editor", "admin"]);
 *
 * assertEquals(parse(Role, "editor"), "editor");
 * ```
 *
 * @param values The values.
 * @param options The message for any other value.
 */
export function picklist<const Value extends Literal>(
  values: readonly Value[],
  options: MessageOptions = {},
): Schema<Value> {
  const expected = values.map(String).join(" or ");
  return typed(new Node(ENUMS, values, { ...options, expected }));
}

const ENUMS: NodeType = {
  name: "enum",
  run(value) {
    return (this.parts as readonly unknown[]).includes(value)
      ? value
      : wrongType(this, value);
  },
};

/**
 * Creates a schema for exactly one value.
 *
 * @example A constant
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { literal, parseSafe } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parseSafe(literal("v1"), "v2").success, false);
 * ```
 *
 * @param value The value.
 * @param options The message for any other value.
 */
export function literal<const Value extends Literal>(
  value: Value,
  options: MessageOptions = {},
): Schema<Value> {
  return picklist([value], options);
}
