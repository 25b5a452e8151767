// Finds the properties that an object may lack, for `required`.

import { type Around, innerOf, type Node } from "./_node.ts";
import { type LazyParts, resolve } from "./lazy.ts";
import type { StandardSchemaProps } from "./standard_schema.ts";
import type { UnionParts } from "./union.ts";

/** Returns `true` if a property with this schema may be missing. */
export function mayBeMissing(node: Node, io: "input" | "output"): boolean {
  const { parts, sort } = node;
  const isMissable = (inner: Node) => mayBeMissing(inner, io);
  switch (sort.name) {
    case "any":
    case "optional":
      return true;
    case "defaulted":
      return io === "input" || mayDefaultToMissing(parts as Around);
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
      return isMissable(resolve(parts as LazyParts));
  }
  const inner = innerOf(node);
  return inner !== undefined && isMissable(inner);
}

/** A function as default may return `undefined` only if the schema allows it. */
function mayDefaultToMissing({ act, inner }: Around): boolean {
  return typeof act === "function"
    ? mayBeMissing(inner, "output")
    : act === undefined;
}

/**
 * Asks a schema of another library by validating `undefined`: there is no other
 * way to know. If it throws or is async, the property may be missing.
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
