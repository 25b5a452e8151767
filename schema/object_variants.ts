import { andThen, fail, Failure, Later, MAX_ISSUES } from "./_failure.ts";
import {
  type Around,
  type Node,
  run,
  type Sort,
  toNode,
  wrap,
} from "./_node.ts";
import type { MessageOptions } from "./issue.ts";
import { isHarmless, object, type ObjectPlan } from "./object.ts";
import type {
  ObjectInput,
  ObjectOutput,
  ObjectShape,
  Schema,
} from "./schema.ts";

/**
 * Describes an object as `object` does, and refuses keys that the shape does
 * not name.
 *
 * @example Refusing a key
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
 * @param options What to say where the value is no object.
 * @returns The schema.
 */
export function strictObject<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): Schema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  const node = wrap(STRICT, toNode(object(shape, options)));
  return node as Schema<unknown> as Schema<
    ObjectOutput<Shape>,
    ObjectInput<Shape>
  >;
}

const STRICT: Sort = {
  name: "strict",
  run(value, context) {
    const { inner } = this.parts as Around;
    const result = run(inner, value, context);
    return refuseOthers(otherKeys(inner, value, result), result);
  },
};

function refuseOthers(others: readonly string[], result: unknown): unknown {
  if (others.length === 0) return result;
  if (result instanceof Later) {
    return result.then((late) => refuseOthers(others, late));
  }
  const refused = others.slice(0, MAX_ISSUES).map((key) => {
    const failure = fail("unknown_key", "Unknown key");
    failure.key = key;
    return failure;
  });
  if (!(result instanceof Failure)) {
    return new Failure(undefined, refused, result);
  }
  const { parts = [], output } = result;
  return new Failure(undefined, [...parts, ...refused], output);
}

/** The keys of an object that its shape does not name. */
function otherKeys(inner: Node, value: unknown, result: unknown): string[] {
  // What comes through as it is has no other keys.
  if (typeof value !== "object" || value === null || result === value) {
    return [];
  }
  const names = new Set(Object.keys(value));
  for (const key of (inner.parts as ObjectPlan).keys) names.delete(key);
  return Array.isArray(value) ? [] : [...names];
}

/**
 * Describes an object as `object` does, and keeps what the shape does not name
 * as it is. Only `__proto__` is left out.
 *
 * Trust: what is kept is not validated.
 *
 * @example Passing on what others put there
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
 * @param options What to say where the value is no object.
 * @returns The schema.
 */
export function looseObject<Shape extends ObjectShape>(
  shape: Shape,
  options: MessageOptions = {},
): Schema<ObjectOutput<Shape>, ObjectInput<Shape>> {
  const node = wrap(LOOSE, toNode(object(shape, options)));
  return node as Schema<unknown> as Schema<
    ObjectOutput<Shape>,
    ObjectInput<Shape>
  >;
}

const LOOSE: Sort = {
  name: "loose",
  run(value, context) {
    const { inner } = this.parts as Around;
    const result = run(inner, value, context);
    const others = otherKeys(inner, value, result).filter(isHarmless);
    return andThen(result, (output) => {
      const from = value as Record<string, unknown>;
      for (const key of others) {
        (output as Record<string, unknown>)[key] = from[key];
      }
      return output;
    });
  },
};
