import { andThen, Failure, failWith, MAX_ISSUES, Pending } from "../failure.ts";
import {
  type Node,
  type NodeType,
  run,
  toNode,
  typed,
  wrap,
  type Wrapper,
} from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import { isHarmless, object, type ObjectPlan } from "./object.ts";
import type {
  ObjectInput,
  ObjectOutput,
  ObjectSchema,
  ObjectShape,
} from "../schema.ts";

/**
 * Creates a schema for an object that rejects keys which the shape does not name.
 *
 * @example Rejecting a key
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, strictObject, string } from "@gatehouse/web/data-schema";
 *
 * const User = strictObject({ name: string() });
 *
 * assertEquals(parseSafe(User, { name: "Ada", admin: true }).success, false);
 * ```
 *
 * @param shape The schema of each property.
 * @param options The message for a value of another type.
 */
export function strictObject<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): ObjectSchema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  return createVariant(STRICT, shape, options);
}

/** Creates a schema that treats the unknown keys of an object in another way. */
function createVariant<Shape extends ObjectShape>(
  type: NodeType,
  shape: Shape,
  options: MessageOptions,
): ObjectSchema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  return typed(wrap(type, toNode(object(shape, options))));
}

const STRICT: NodeType = {
  name: "strict",
  run(value, context) {
    const { inner } = this.parts as Wrapper;
    const result = run(inner, value, context);
    return rejectUnknown(unknownKeys(inner, value, result), result);
  },
};

function rejectUnknown(others: readonly string[], result: unknown): unknown {
  if (others.length === 0) return result;
  if (result instanceof Pending) {
    return result.then((late) => rejectUnknown(others, late));
  }
  const rejected = others.slice(0, MAX_ISSUES).map((key) => {
    const failure = failWith("unknown_key", "Unknown key");
    failure.key = key;
    return failure;
  });
  if (!(result instanceof Failure)) {
    return new Failure(undefined, rejected, result);
  }
  const { parts = [], output } = result;
  return new Failure(undefined, [...parts, ...rejected], output);
}

/** Returns the keys of an object that its shape does not name. */
function unknownKeys(inner: Node, value: unknown, result: unknown): string[] {
  // An object that is its own output has no unknown keys.
  if (typeof value !== "object" || value === null || result === value) {
    return [];
  }
  const names = new Set(Object.keys(value));
  for (const key of (inner.parts as ObjectPlan).keys) names.delete(key);
  return Array.isArray(value) ? [] : [...names];
}

/**
 * Creates a schema for an object that keeps properties which the shape does not
 * name, except `__proto__`.
 *
 * Trust: unknown properties are not validated.
 *
 * @example Keeping unknown properties
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { looseObject, parse, string } from "@gatehouse/web/data-schema";
 *
 * const Event = looseObject({ type: string() });
 * const event = { type: "created", id: 1 };
 *
 * assertEquals(parse(Event, event), event);
 * ```
 *
 * @param shape The schema of each property.
 * @param options The message for a value of another type.
 */
export function looseObject<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): ObjectSchema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  return createVariant(LOOSE, shape, options);
}

const LOOSE: NodeType = {
  name: "loose",
  run(value, context) {
    const { inner } = this.parts as Wrapper;
    const result = run(inner, value, context);
    const others = unknownKeys(inner, value, result).filter(isHarmless);
    return andThen(result, (output) => {
      const from = value as Record<string, unknown>;
      for (const key of others) {
        (output as Record<string, unknown>)[key] = from[key];
      }
      return output;
    });
  },
};
