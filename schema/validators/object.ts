import {
  addPart,
  type Context,
  Failure,
  isPart,
  type Part,
  resolveParts,
} from "../failure.ts";
import { Node, type NodeType, run, toNode, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type {
  ObjectInput,
  ObjectOutput,
  ObjectSchema,
  ObjectShape,
} from "../schema.ts";

/**
 * Creates a schema for an object.
 *
 * Only own properties are read. Properties that the shape does not name are
 * omitted, and `__proto__` always is. If the input needs no change and its keys
 * have the order of the shape, the output is the same object.
 *
 * @example A user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, object, optional, parse, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ id: number(), name: string(), bio: optional(string()) });
 *
 * assertEquals(parse(User, { id: 1, name: "Ada", admin: true }), {
 *   id: 1,
 *   name: "Ada",
 * });
 * ```
 *
 * @param shape The schema of each property.
 * @param options The message for a value of another type.
 */
export function object<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): ObjectSchema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  const keys = Object.keys(shape).filter(isHarmless);
  const nodes = keys.map((key) => toNode(shape[key]!));
  return typed(new Node(OBJECTS, { keys, nodes }, options));
}

/** The keys of a shape and their schemas. */
export interface ObjectPlan {
  readonly keys: readonly string[];
  /** The schema of each key. */
  readonly nodes: readonly Node[];
}

/** Returns `false` for `__proto__`, which is never copied to an output. */
export function isHarmless(key: string): boolean {
  return key !== "__proto__";
}

type Properties = Record<string, unknown>;

const OBJECTS: NodeType = {
  name: "object",
  // An object is its own output if its keys have the order of the shape, only
  // optional ones are missing and no value changes. `copyObject` handles all
  // other objects.
  run(value, context) {
    if (typeof value !== "object" || !value || Array.isArray(value)) {
      return wrongType(this, value);
    }
    const input = value as Properties;
    const plan = this.parts as ObjectPlan;
    const { keys, nodes } = plan;
    let failed: Part[] | undefined;
    let current: Progress[1];
    let done = 0;
    fast: if (!context.copy) {
      for (const key in input) {
        if (!hasOwn.call(input, key)) continue;
        if (key !== keys[done]) {
          done = skipOptional(plan, input, done, key);
          if (key !== keys[done]) break fast;
        }
        const property = input[key];
        const result = run(nodes[done]!, property, context);
        if (result !== property || result === undefined) {
          if (!(result instanceof Failure)) {
            current = [result];
            break fast;
          }
          failed = addPart(failed, result, key);
        }
        done++;
      }
      if (
        done === keys.length || skipOptional(plan, input, done) === keys.length
      ) {
        return failed ? new Failure(undefined, failed, input) : input;
      }
    }
    return copyObject(plan, input, context, [done, current, failed]);
  },
};

/** Skips optional keys that the object neither has nor inherits. */
function skipOptional(
  { keys, nodes }: ObjectPlan,
  input: object,
  done: number,
  end?: string,
): number {
  while (
    keys[done] !== end && nodes[done]?.kind === "optional" &&
    !(keys[done]! in input)
  ) done++;
  return done;
}

// V8 optimizes this call for keys of a `for in` loop over a plain object.
const hasOwn = {}.hasOwnProperty;

/** The results of the fast path. */
type Progress = readonly [
  /** The number of keys, from the first, whose values stayed the same. */
  done: number,
  /** The result of the next key, if the fast path has validated it. */
  current: readonly [result: unknown] | undefined,
  failed: Part[] | undefined,
];

/** Creates the output, and validates what the fast path has not. */
function copyObject(
  { keys, nodes }: ObjectPlan,
  input: Properties,
  context: Context,
  [done, current, failed]: Progress,
): unknown {
  const output: Properties = {};
  for (let slot = 0; slot < keys.length; slot++) {
    const key = keys[slot]!;
    const value = hasOwn.call(input, key) ? input[key] : undefined;
    const result = slot < done
      ? value
      : slot === done && current
      ? current[0]
      : run(nodes[slot]!, value, context);
    if (isPart(result)) failed = addPart(failed, result, key);
    else if (result !== undefined) output[key] = result;
  }
  return resolveParts(failed, output);
}
