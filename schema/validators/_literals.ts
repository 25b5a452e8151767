// Compares the literals of a union's options, so that most options need not run.

import { innerOf, type Node, type Wrapper } from "../node.ts";
import { type LazyParts, resolveLazy } from "./lazy.ts";
import type { ObjectPlan } from "./object.ts";
import type { UnionParts } from "./union.ts";
import type { VariantParts } from "./variant.ts";

/** The values that an object's properties must have, by property. */
export type Literals = ReadonlyMap<string, readonly unknown[]>;

/** Returns the literals of an object schema, even inside other schemas. */
export function literalsOf(node: Node): Literals {
  const { parts, type } = node;
  switch (type.name) {
    case "object":
      return literalsOfObject(parts as ObjectPlan);
    case "variant": {
      const { key, nodes } = parts as VariantParts;
      return new Map([[key, [...nodes.keys()]]]);
    }
    case "intersect":
      return new Map(
        (parts as readonly Node[]).flatMap((part) => [...literalsOf(part)]),
      );
    case "lazy":
      return literalsOf(resolveLazy(parts as LazyParts));
  }
  const inner = innerOf(node);
  return inner ? literalsOf(inner) : new Map();
}

function literalsOfObject({ keys, nodes }: ObjectPlan): Literals {
  const literals = new Map<string, readonly unknown[]>();
  keys.forEach((key, index) => {
    const values = valuesOf(nodes[index]!);
    if (values) literals.set(key, values);
  });
  return literals;
}

/** Returns all values that a schema accepts, if it names them. */
function valuesOf({ parts, type }: Node): readonly unknown[] | undefined {
  switch (type.name) {
    case "enum":
      return parts as readonly unknown[];
    case "union": {
      const values = (parts as UnionParts).nodes.map(valuesOf);
      return values.every((each) => each !== undefined)
        ? values.flat()
        : undefined;
    }
  }
  const extra = EXTRA_VALUES[type.name];
  const values = extra && valuesOf((parts as Wrapper).inner);
  return values && [...values, ...extra];
}

/** The values that a schema accepts in addition to those of its inner schema. */
const EXTRA_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  defaulted: [undefined],
  nullable: [null],
  optional: [undefined],
  present: [],
  step: [],
  transform: [],
};

/** Returns `false` if a property of the object rules the schema out. */
export function mayAccept(literals: Literals, value: object): boolean {
  for (const [key, values] of literals) {
    if (!values.includes(readOwn(value, key))) return false;
  }
  return true;
}

/** Returns an own property of an object, or `undefined`. */
export function readOwn(value: object, key: string): unknown {
  return Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
