import {
  type Context,
  Failure,
  failWith,
  Pending,
  type ResultAtDepth,
  type Trail,
  type Work,
} from "../failure.ts";
import { call, Node, type NodeType, run, toNode, typed } from "../node.ts";
import type { Schema } from "../schema.ts";
import type { StandardSchemaV1 } from "../standard_schema.ts";

/**
 * Creates a schema from a function that is called when the schema is first used,
 * so that a schema can contain itself.
 *
 * A parse visits at most 250,000 objects and arrays of recursive schemas, and at
 * most 100 levels or the option `maxDepth`. Beyond that it fails with the code
 * `too_large` or `too_deep`. A value that contains itself fails with `cyclic`. In a recursive choice between objects, prefer
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
 * @param get Returns the schema. It is called once.
 */
export function lazy<Output, Input = Output>(
  get: () => StandardSchemaV1<Input, Output>,
): Schema<Output, Input> {
  const parts: LazyParts = { get, node: undefined };
  return typed(new Node(LAZY, parts));
}

/** The parts of a lazy schema. */
export interface LazyParts {
  readonly get: () => StandardSchemaV1;
  /** The schema, after the first use. */
  node: Node | undefined;
}

/** Returns the schema that a lazy schema refers to. */
export function resolveLazy(parts: LazyParts): Node {
  return parts.node ??= toNode(
    call(parts.get, undefined) as StandardSchemaV1,
  );
}

/**
 * The maximum number of objects and arrays that recursive schemas visit in one
 * parse.
 */
const MAX_VISITS = 250_000;

/**
 * Caches the results of recursive schemas for the rest of a parse. Callers use
 * it before two schemas validate the same value, because the work would double
 * at every level.
 */
export function cacheResults(context: Context): void {
  const work = context.work ??= { visits: 0 };
  work.results ??= new Map();
}

const LAZY: NodeType = {
  name: "lazy",
  run(value, context) {
    const node = resolveLazy(this.parts as LazyParts);
    if (typeof value !== "object" || value === null) {
      return run(node, value, context);
    }
    const { trail: outer, maxDepth: max = 100 } = context;
    for (let above = outer; above; above = above.outer) {
      if (above.value === value && above.owner === node) {
        return failWith("cyclic", "Must not contain itself");
      }
    }
    const depth = outer ? outer.depth + 1 : 1;
    if (depth > max) return failWith("too_deep", "Nested too deeply", { max });
    const work = context.work ??= { visits: 0 };
    const known = work.results?.get(node)?.get(value);
    if (known?.depth === depth) return withoutKey(known.result);
    if (++work.visits > MAX_VISITS) {
      // The error ends the whole parse, so that a union does not try its next
      // option.
      throw failWith("too_large", "Too many parts", { max: MAX_VISITS });
    }
    const trail: Trail = { value, owner: node, depth, outer };
    const result = run(node, value, { ...context, trail });
    cacheResult(work, node, value, { depth, result });
    return result;
  },
};

function cacheResult(
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

/** Copies a failure without its key, which the container sets. */
function withoutKey(result: unknown): unknown {
  if (result instanceof Pending) return result.then(withoutKey);
  if (!(result instanceof Failure)) return result;
  return new Failure(result.source, result.parts, result.output);
}
