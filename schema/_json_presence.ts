// Which schemas take a missing value, as far as can be told without running
// code of the application.

import { innerOf, type Node } from "./_node.ts";
import { type LazyParts, resolve } from "./lazy.ts";
import type { UnionParts } from "./union.ts";

/** Whether a key with this schema may be missing from an object. */
export function takesMissing(node: Node): boolean {
  const { parts, sort } = node;
  switch (sort.name) {
    case "any":
    case "optional":
    case "defaulted":
    case "value":
      return true;
    case "enum":
      return (parts as readonly unknown[]).includes(undefined);
    case "union":
      return (parts as UnionParts).nodes.some(takesMissing);
    case "intersect":
      return (parts as readonly Node[]).every(takesMissing);
    case "lazy":
      return takesMissing(resolve(parts as LazyParts));
  }
  const inner = innerOf(node);
  return inner !== undefined && takesMissing(inner);
}

/** Whether the output of an object may lack a key with this schema. */
export function givesMissing(node: Node): boolean {
  const { name } = node.sort;
  if (name === "defaulted" || name === "transform") return false;
  const inner = name === "optional" ? undefined : innerOf(node);
  return inner ? givesMissing(inner) : takesMissing(node);
}
