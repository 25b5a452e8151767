import {
  type Context,
  failAt,
  Failure,
  failWith,
  Pending,
} from "../failure.ts";
import { type Literals, literalsOf, mayAccept, readOwn } from "./_literals.ts";
import { Node, type NodeType, run, toNode, typed } from "../node.ts";
import type { Message, MessageOptions } from "../issue.ts";
import { cacheResults } from "./lazy.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema for a value that one of several schemas accepts. The first
 * schema that accepts the value wins.
 *
 * Objects are distinguished by their `literal()` and `picklist()` properties first:
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
  return typed(new Node(UNIONS, parts, { ...messages, expected }));
}

/** The parts of a union. */
export interface UnionParts {
  readonly nodes: readonly Node[];
  /** The literals of each option, computed for the first object. */
  literals?: ReadonlyMap<Node, Literals>;
}

/** A value, and the options of a union that may accept it. */
interface Attempt {
  readonly union: Node;
  readonly options: readonly Node[];
  readonly value: unknown;
  readonly context: Context;
  /** The failures of the options that have run. */
  readonly failures: Failure[];
}

const UNIONS: NodeType = {
  name: "union",
  run(value, context) {
    const { nodes } = this.parts as UnionParts;
    let options = nodes;
    if (typeof value === "object" && value !== null) {
      const literals = findLiterals(this.parts as UnionParts);
      if (!Array.isArray(value)) {
        options = nodes.filter((node) => mayAccept(literals.get(node)!, value));
      }
      if (options.length > 1) cacheResults(context);
    }
    return tryOptions({ union: this, options, value, context, failures: [] });
  },
};

function findLiterals(parts: UnionParts): ReadonlyMap<Node, Literals> {
  return parts.literals ??= new Map(
    parts.nodes.map((node) => [node, literalsOf(node)]),
  );
}

/** Runs one option after the other until one of them accepts the value. */
function tryOptions(attempt: Attempt): unknown {
  const { options, value, context, failures } = attempt;
  while (failures.length < options.length) {
    const result = run(options[failures.length]!, value, context);
    if (result instanceof Pending) {
      return result.then((late) => {
        if (!(late instanceof Failure)) return late;
        failures.push(late);
        return tryOptions(attempt);
      });
    }
    if (!(result instanceof Failure)) return result;
    failures.push(result);
  }
  return explain(attempt);
}

/** Returns the failure that helps the user most. */
function explain(
  { union, options, value, context, failures }: Attempt,
): unknown {
  const { expected, message } = union;
  const parts = union.parts as UnionParts;
  const near = failures.filter(({ source }) =>
    source?.code !== "type" && source?.code !== "required"
  );
  if (message !== undefined) return mismatch(value, expected, message);
  if (near.length === 1) return near[0];
  if (near.length === 0 && options.length < parts.nodes.length) {
    const skipped = parts.nodes.filter((option) => !options.includes(option));
    // This option can't accept the value, but its issues are the most specific.
    if (skipped.length === 1) return run(skipped[0]!, value, context);
    const literals = findLiterals(parts);
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
    return failAt(key, mismatch(given, expected));
  }
}

function mismatch(
  value: unknown,
  expected: string,
  message?: Message,
): Failure {
  return value === undefined
    ? failWith("required", "Required", { expected }, message)
    : failWith("union", `Expected ${expected}`, { expected }, message);
}
