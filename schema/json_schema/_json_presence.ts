// Finds the properties that may be missing, for `required`.

import { innerOf, type Node, type Wrapper } from "../node.ts";
import { type LazyParts, resolveLazy } from "../validators/lazy.ts";
import type { StandardSchemaProps } from "../standard_schema.ts";
import type { UnionParts } from "../validators/union.ts";

/** Returns `true` if a property with this schema may be missing. */
export function mayBeMissing(node: Node, io: "input" | "output"): boolean {
  const { parts, type } = node;
  const isMissable = (inner: Node) => mayBeMissing(inner, io);
  switch (type.name) {
    case "any":
    case "optional":
      return true;
    case "present":
      return false;
    case "defaulted":
      return io === "input" || mayDefaultToMissing(parts as Wrapper);
    case "transform":
      if (io === "output") return true;
      break;
    case "value":
      return mayForeignBeMissing(parts as StandardSchemaProps, io);
    case "enum":
      return (parts as readonly unknown[]).includes(undefined);
    case "union":
      return (parts as UnionParts).nodes.some(isMissable);
    case "intersect":
      return (parts as readonly Node[]).every(isMissable);
    case "lazy":
      return isMissable(resolveLazy(parts as LazyParts));
  }
  const inner = innerOf(node);
  return inner !== undefined && isMissable(inner);
}

/** Returns `true` if a default may be `undefined`. A function can if the schema does. */
function mayDefaultToMissing({ arg, inner }: Wrapper): boolean {
  return typeof arg === "function"
    ? mayBeMissing(inner, "output")
    : arg === undefined;
}

/**
 * Returns `true` if a schema of another library accepts `undefined`. Validating
 * it is the only way to know. If that throws or is async, the property counts
 * as optional.
 */
function mayForeignBeMissing(
  { validate }: StandardSchemaProps,
  io: "input" | "output",
): boolean {
  try {
    const result = validate(undefined);
    if ("then" in result) {
      result.then(undefined, () => {});
      return true;
    }
    if (result.issues) return false;
    return io === "input" || result.value === undefined;
  } catch {
    return true;
  }
}
