import {
  add,
  conclude,
  type Context,
  Failure,
  isPart,
  type Part,
} from "./_failure.ts";
import { Node, run, type Sort, toNode, wrongType } from "./_node.ts";
import type { MessageOptions } from "./issue.ts";
import type {
  ObjectInput,
  ObjectOutput,
  ObjectShape,
  Schema,
} from "./schema.ts";

/**
 * Describes an object by the schemas of its properties.
 *
 * Only own properties count, never inherited ones; those that the
 * shape does not name are left out, and `__proto__` always is. An input that
 * needs no change, and has its keys in the order of the shape, is given back as
 * it is.
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
 * @param options What to say where the value is no object.
 * @returns The schema.
 */
export function object<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): Schema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  const keys = Object.keys(shape).filter(isHarmless);
  const nodes = keys.map((key) => toNode(shape[key]!));
  const node = new Node(OBJECTS, { keys, nodes }, options);
  return node as Schema<unknown> as Schema<
    ObjectOutput<Shape>,
    ObjectInput<Shape>
  >;
}

/** An object's shape, laid out for the walk. */
export interface ObjectPlan {
  readonly keys: readonly string[];
  /** The schema of each key. */
  readonly nodes: readonly Node[];
}

/** Returns `false` for `__proto__`, which no output contains. */
export function isHarmless(key: string): boolean {
  return key !== "__proto__";
}

type Properties = Record<string, unknown>;

const OBJECTS: Sort = {
  name: "object",
  // As long as all is as usual (the keys in the order of the shape, at most
  // optional ones missing, no value changed), the object is its own output. The
  // rest is left to `walk`.
  run(value, context) {
    if (typeof value !== "object" || !value || Array.isArray(value)) {
      return wrongType(this, value);
    }
    const input = value as Properties;
    const plan = this.parts as ObjectPlan;
    const { keys, nodes } = plan;
    let failed: Part[] | undefined;
    let given: [unknown] | undefined;
    let done = 0;
    look: if (!context.copy) {
      for (const key in input) {
        if (!hasOwn.call(input, key)) continue;
        if (key !== keys[done]) {
          done = skip(plan, input, done, key);
          if (key !== keys[done]) break look;
        }
        const property = input[key];
        const result = run(nodes[done]!, property, context);
        if (result !== property || result === undefined) {
          if (!(result instanceof Failure)) {
            given = [result];
            break look;
          }
          failed = add(failed, result, key);
        }
        done++;
      }
      if (done === keys.length || skip(plan, input, done) === keys.length) {
        return failed ? new Failure(undefined, failed, input) : input;
      }
    }
    return walk(plan, input, context, done, given, failed);
  },
};

/** Passes optional keys that the object does not even inherit. */
function skip(
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

// Called this way, V8 sees that it is true of every key of a plain object.
const hasOwn = {}.hasOwnProperty;

/** Makes an output. Some keys are done, and the next perhaps. */
function walk(
  { keys, nodes }: ObjectPlan,
  input: Properties,
  context: Context,
  done: number,
  given: [unknown] | undefined,
  failed: Part[] | undefined,
): unknown {
  const output: Properties = {};
  for (let slot = 0; slot < keys.length; slot++) {
    const key = keys[slot]!;
    const value = hasOwn.call(input, key) ? input[key] : undefined;
    const result = slot < done
      ? value
      : slot === done && given
      ? given[0]
      : run(nodes[slot]!, value, context);
    if (isPart(result)) failed = add(failed, result, key);
    else if (result !== undefined) output[key] = result;
  }
  return conclude(failed, output);
}
