import {
  add,
  conclude,
  type Context,
  fail,
  Failure,
  Pending,
} from "./_failure.ts";
import { type Literals, literalsOf, mayTake, readOwn } from "./_literals.ts";
import { Node, type NodeType, run, toNode } from "./_node.ts";
import type { Message, MessageOptions } from "./issue.ts";
import { rememberResults } from "./lazy.ts";
import type { Schema } from "./schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "./standard_schema.ts";

/**
 * Creates a schema for a value that one of several schemas accepts. The first
 * schema that accepts the value wins.
 *
 * Objects are distinguished by their `literal()` and `enum_()` properties first:
 * an option whose literals don't match the value does not run. A recursive union
 * therefore parses in linear time, whatever the value. Prefer
 * {@linkcode variant} if one property names the option: its issues are about
 * that option only, and its exported JSON Schema is clearer.
 *
 * If exactly one option fails on more than the type of the whole value, the
 * union reports that option's issues.
 *
 * @example A string or a number
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parse, string, union } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(union([string(), number()]), 7), 7);
 * ```
 *
 * @param options The schemas.
 * @param messages The message if no schema accepts the value.
 */
export function union<const Options extends readonly StandardSchemaV1[]>(
  options: Options,
  messages: MessageOptions = {},
): Schema<InferOutput<Options[number]>, InferInput<Options[number]>> {
  const nodes = options.map(toNode);
  const expected = nodes.map((node) => node.expected).join(" or ");
  const parts: UnionParts = { nodes };
  const node = new Node(UNIONS, parts, { ...messages, expected });
  return node as Schema<unknown> as Schema<
    InferOutput<Options[number]>,
    InferInput<Options[number]>
  >;
}

/** The parts of a union. */
export interface UnionParts {
  readonly nodes: readonly Node[];
  /** The literals of each option, computed for the first object. */
  literals?: ReadonlyMap<Node, Literals>;
}

const UNIONS: NodeType = {
  name: "union",
  run(value, context) {
    const { nodes } = this.parts as UnionParts;
    if (typeof value !== "object" || value === null) {
      return tryAll(this, nodes, value, context);
    }
    const literals = findLiterals(this.parts as UnionParts);
    const fitting = Array.isArray(value)
      ? nodes
      : nodes.filter((node) => mayTake(literals.get(node)!, value));
    if (fitting.length > 1) rememberResults(context);
    return tryAll(this, fitting, value, context);
  },
};

function findLiterals(parts: UnionParts): ReadonlyMap<Node, Literals> {
  return parts.literals ??= new Map(
    parts.nodes.map((node) => [node, literalsOf(node)]),
  );
}

/** Runs one option after the other until one of them accepts the value. */
function tryAll(
  node: Node,
  options: readonly Node[],
  value: unknown,
  context: Context,
  first = 0,
  failures: readonly Failure[] = [],
): unknown {
  const failed = [...failures];
  for (let index = first; index < options.length; index++) {
    const result = run(options[index]!, value, context);
    if (result instanceof Pending) {
      return result.then((late) =>
        late instanceof Failure
          ? tryAll(node, options, value, context, index + 1, [...failed, late])
          : late
      );
    }
    if (!(result instanceof Failure)) return result;
    failed.push(result);
  }
  return explain(node, options, value, context, failed);
}

/** Returns the failure that helps the user most. */
function explain(
  node: Node,
  options: readonly Node[],
  value: unknown,
  context: Context,
  failures: readonly Failure[],
): unknown {
  const { expected, message, parts } = node;
  const { nodes } = parts as UnionParts;
  const near = failures.filter(({ source }) =>
    source?.code !== "type" && source?.code !== "required"
  );
  if (message !== undefined) return mismatch(value, expected, message);
  if (near.length === 1) return near[0];
  if (near.length === 0 && options.length < nodes.length) {
    const skipped = nodes.filter((option) => !options.includes(option));
    // It can't accept the value, but its issues are the most specific.
    if (skipped.length === 1) return run(skipped[0]!, value, context);
    const literals = findLiterals(parts as UnionParts);
    const failure = explainLiterals(
      skipped.map((option) => literals.get(option)!),
      value as object,
    );
    if (failure) return failure;
  }
  return mismatch(value, expected);
}

/** Fails at the property that rules out every option, if there is one. */
function explainLiterals(
  options: readonly Literals[],
  value: object,
): unknown {
  for (const key of options[0]!.keys()) {
    const given = readOwn(value, key);
    const lists = options.map((literals) => literals.get(key));
    if (lists.some((values) => !values || values.includes(given))) continue;
    const expected = [...new Set(lists.flat())].join(" or ");
    return conclude(add(undefined, mismatch(given, expected), key), undefined);
  }
}

function mismatch(
  value: unknown,
  expected: string,
  message?: Message,
): Failure {
  return value === undefined
    ? fail("required", "Required", { expected }, message)
    : fail("union", `Expected ${expected}`, { expected }, message);
}
