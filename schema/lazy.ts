import { fail, type Trail } from "./_failure.ts";
import { call, Node, run, type Sort, toNode } from "./_node.ts";
import type { Schema } from "./schema.ts";
import type { StandardSchemaV1 } from "./standard_schema.ts";

/**
 * Describes a value by a schema that is looked up when it is needed, so that a
 * schema can contain itself.
 *
 * However a value is nested, the parse ends: after 100 levels, or as many as
 * the option `maxDepth` says, and at once where a value contains itself.
 *
 * @example Comments with answers
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, lazy, object, parse, type Schema, string } from "@gatehouse/web/data-schema";
 *
 * interface Comment {
 *   text: string;
 *   answers: Comment[];
 * }
 * const Comment: Schema<Comment> = object({
 *   text: string(),
 *   answers: array(lazy(() => Comment)),
 * });
 * const comment = { text: "First", answers: [{ text: "Second", answers: [] }] };
 *
 * assertEquals(parse(Comment, comment), comment);
 * ```
 *
 * @param get Gives the schema. It is called once.
 * @returns The schema.
 */
export function lazy<Output, Input = Output>(
  get: () => StandardSchemaV1<Input, Output>,
): Schema<Output, Input> {
  const parts: LazyParts = { get, node: undefined };
  return new Node(LAZY, parts) as Schema<unknown> as Schema<Output, Input>;
}

/** What a lazy schema has. */
export interface LazyParts {
  readonly get: () => StandardSchemaV1;
  /** The schema, once it was looked up. */
  node: Node | undefined;
}

/** The schema behind a lazy one. */
export function resolve(parts: LazyParts): Node {
  return parts.node ??= toNode(
    call(parts.get, undefined) as StandardSchemaV1,
  );
}

/** How many values recursive schemas look at in one parse. */
const MAX_VISITS = 250_000;

const LAZY: Sort = {
  name: "lazy",
  run(value, context) {
    const node = resolve(this.parts as LazyParts);
    if (typeof value !== "object" || value === null) {
      return run(node, value, context);
    }
    const { trail: outer, maxDepth: max = 100 } = context;
    for (let above = outer; above; above = above.outer) {
      if (above.value === value && above.owner === this) {
        return fail("cyclic", "Must not contain itself");
      }
    }
    const depth = outer ? outer.depth + 1 : 1;
    if (depth > max) return fail("too_deep", "Nested too deeply", { max });
    const visits = context.visits ??= { count: 0 };
    if (++visits.count > MAX_VISITS) {
      return fail("too_large", "Too many parts", { max: MAX_VISITS });
    }
    const trail: Trail = { value, owner: this, depth, outer };
    return run(node, value, { ...context, trail });
  },
};
