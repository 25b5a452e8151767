// Derives a schema with other properties from an object or form schema.

import { andThen } from "../failure.ts";
import type { FieldPlan, FormShape } from "../forms/form_object.ts";
import {
  innerOf,
  type Node,
  type NodeType,
  run,
  toNode,
  wrap,
  type Wrapper,
  wrongType,
} from "../node.ts";
import { object, type ObjectPlan } from "./object.ts";
import type { ObjectShape } from "../schema.ts";
import type { StandardSchemaV1 } from "../standard_schema.ts";

/** A property: its key, and its schema or form field. */
export type Entry = readonly [key: string, property: FormShape[string]];

/** Changes the schema of a property. */
export type ChangeSchema = (schema: StandardSchemaV1) => StandardSchemaV1;

/** Creates a schema of the same kind with other properties. */
export function reshape(
  schema: StandardSchemaV1,
  change: (entries: readonly Entry[]) => readonly Entry[],
): Node {
  const node = toNode(schema);
  const shape = Object.fromEntries(change(entriesOf(node)));
  const { create } = node.type;
  if (create) return toNode(create(shape, node));
  const plain = toNode(object(shape as ObjectShape, node));
  return node.type.name === "object" ? plain : wrap(node.type, plain);
}

/** Returns the properties of an object or a form. */
export function entriesOf(node: Node): readonly Entry[] {
  const { parts, type } = node;
  switch (type.name) {
    case "form":
      return (parts as readonly FieldPlan[])
        .map(({ key, property }) => [key, property]);
    case "object": {
      const { keys, nodes } = parts as ObjectPlan;
      return keys.map((key, index) => [key, nodes[index]!]);
    }
    case "strict":
    case "loose":
      return entriesOf(innerOf(node)!);
  }
  throw new TypeError(
    `Cannot select properties of schema "${type.name}": it is not an object without checks. Add checks afterwards`,
  );
}

/** Splits entries into those with these keys and the others. */
export function splitEntries(
  entries: readonly Entry[],
  keys: readonly (string | number)[],
): readonly [named: readonly Entry[], others: readonly Entry[]] {
  const names = checkNames(entries, keys);
  return [
    entries.filter(([key]) => names.has(key)),
    entries.filter(([key]) => !names.has(key)),
  ];
}

/** Changes the schemas of the properties with these keys, by default all. */
export function changeEntries(
  entries: readonly Entry[],
  keys: readonly (string | number)[] = entries.map(([key]) => key),
  change: ChangeSchema,
): readonly Entry[] {
  const names = checkNames(entries, keys);
  return entries.map(([key, property]) => {
    if (!names.has(key)) return [key, property];
    return "~standard" in property
      ? [key, change(property)]
      : [key, { ...property, schema: change(property.schema) }];
  });
}

// A misspelled key in `omit` would keep a property that the application wanted
// to remove.
function checkNames(
  entries: readonly Entry[],
  keys: readonly (string | number)[],
): ReadonlySet<string> {
  const names = new Set(keys.map(String));
  const known = new Set(entries.map(([key]) => key));
  for (const name of names) {
    if (known.has(name)) continue;
    throw new TypeError(
      `Cannot select property "${name}": the schema has no such property`,
    );
  }
  return names;
}

/** Creates a schema that rejects missing values. */
export function present(schema: StandardSchemaV1): Node {
  return wrap(PRESENT, toNode(schema));
}

const PRESENT: NodeType = {
  name: "present",
  run(value, context) {
    const { inner } = this.parts as Wrapper;
    if (value === undefined) return wrongType(this, value);
    // A default of `undefined` or a transform may still output nothing.
    return andThen(
      run(inner, value, context),
      (output) => output === undefined ? wrongType(this, output) : output,
    );
  },
};
