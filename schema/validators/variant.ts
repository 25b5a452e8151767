import { failAt, failWith } from "../failure.ts";
import { readOwn } from "./_literals.ts";
import { Node, type NodeType, run, toNode, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/** The schemas of the variants, by the value of the property. */
export type Variants = Readonly<Record<string, StandardSchemaV1>>;

/**
 * Creates a schema for objects that one property distinguishes (a discriminated
 * union). Only the schema that the property selects runs, so all issues are
 * about that variant.
 *
 * @example Events
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { literal, number, object, parse, string, variant } from "@gatehouse/web/data-schema";
 *
 * const Event = variant("type", {
 *   created: object({ type: literal("created"), id: string() }),
 *   updated: object({ type: literal("updated"), id: string(), version: number() }),
 * });
 *
 * assertEquals(parse(Event, { type: "created", id: "e1" }).type, "created");
 * ```
 *
 * @param key The property that selects the variant.
 * @param variants The schema for each value of the property.
 * @param options The message if no variant matches.
 */
export function variant<const Options extends Variants>(
  key: string,
  variants: Options,
  options: MessageOptions = {},
): Schema<
  InferOutput<Options[keyof Options]>,
  InferInput<Options[keyof Options]>
> {
  const nodes = new Map<unknown, Node>();
  for (const name of Object.keys(variants)) {
    nodes.set(name, toNode(variants[name]!));
  }
  const parts: VariantParts = { key, nodes };
  return typed(new Node(VARIANTS, parts, { ...options, expected: "object" }));
}

/** The parts of a variant schema. */
export interface VariantParts {
  readonly key: string;
  readonly nodes: ReadonlyMap<unknown, Node>;
}

const VARIANTS: NodeType = {
  name: "variant",
  run(value, context) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return wrongType(this, value);
    }
    const { key, nodes } = this.parts as VariantParts;
    const name = readOwn(value, key);
    const node = nodes.get(name);
    if (node) return run(node, value, context);
    const expected = [...nodes.keys()];
    const text = `Expected ${expected.join(" or ")}`;
    const failure = name === undefined
      ? failWith("required", "Required", { expected }, this.message)
      : failWith("variant", text, { expected }, this.message);
    return failAt(key, failure);
  },
};
