import {
  type Context,
  fail,
  Failure,
  Later,
  type ResultAtDepth,
  type Trail,
  type Work,
} from "./_failure.ts";
import { call, Node, run, type Sort, toNode } from "./_node.ts";
import type { Schema } from "./schema.ts";
import type { StandardSchemaV1 } from "./standard_schema.ts";

/**
 * Describes a value by a schema that is looked up when it is needed, so that a
 * schema can contain itself.
 *
 * A parse looks at 250,000 objects and arrays of recursive schemas at most, and
 * goes 100 levels deep, or as deep as the option `maxDepth` allows. Beyond that
 * it fails with the code `too_large` or `too_deep`, and at once with `cyclic` if
 * a value contains itself. In a recursive choice between objects, prefer
 * {@linkcode variant} to {@linkcode union}: its issues say more.
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

/** The parts of a lazy schema. */
export interface LazyParts {
  readonly get: () => StandardSchemaV1;
  /** The schema, after the first use. */
  node: Node | undefined;
}

/** The schema behind a lazy one. */
export function resolve(parts: LazyParts): Node {
  return parts.node ??= toNode(
    call(parts.get, undefined) as StandardSchemaV1,
  );
}

/** The most objects and arrays that recursive schemas look at in one parse. */
const MAX_VISITS = 250_000;

/**
 * Makes the recursive schemas of a parse remember their results. Called before
 * two schemas meet the same value: without it, work doubles at every level.
 */
export function rememberResults(context: Context): void {
  const work = context.work ??= { visits: 0 };
  work.results ??= new Map();
}

const LAZY: Sort = {
  name: "lazy",
  run(value, context) {
    const node = resolve(this.parts as LazyParts);
    if (typeof value !== "object" || value === null) {
      return run(node, value, context);
    }
    const { trail: outer, maxDepth: max = 100 } = context;
    for (let above = outer; above; above = above.outer) {
      if (above.value === value && above.owner === node) {
        return fail("cyclic", "Must not contain itself");
      }
    }
    const depth = outer ? outer.depth + 1 : 1;
    if (depth > max) return fail("too_deep", "Nested too deeply", { max });
    const work = context.work ??= { visits: 0 };
    const known = work.results?.get(node)?.get(value);
    if (known?.depth === depth) return unplaced(known.result);
    if (++work.visits > MAX_VISITS) {
      // Ends the whole parse: no union may take this for a mismatch.
      throw fail("too_large", "Too many parts", { max: MAX_VISITS });
    }
    const trail: Trail = { value, owner: node, depth, outer };
    const result = run(node, value, { ...context, trail });
    remember(work, node, value, { depth, result });
    return result;
  },
};

function remember(
  { results }: Work,
  node: Node,
  value: object,
  result: ResultAtDepth,
): void {
  if (!results) return;
  const known = results.get(node);
  if (known) known.set(value, result);
  else results.set(node, new Map([[value, result]]));
}

/** Copies a failure: the container around each one sets its key. */
function unplaced(result: unknown): unknown {
  if (result instanceof Later) return result.then(unplaced);
  if (!(result instanceof Failure)) return result;
  return new Failure(result.source, result.parts, result.output);
}
