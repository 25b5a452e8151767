// Converts the strings of a form to the types that the schema requires.

import {
  type Around,
  hasSort,
  innerOf,
  Node,
  run,
  type Sort,
  wrap,
} from "./_node.ts";
import { readBigint, readBoolean, readDate, readNumber } from "./_parse_string.ts";
import type { UnionParts } from "./union.ts";

/** The conversion of a field's strings. */
export interface TextConverter {
  /** Converts a string for the schema; `undefined` is a missing value. */
  readonly convert: (text: string) => unknown;
  /** The value of a missing field. */
  readonly absent: unknown;
}

/** The types that texts are converted to, by the name of the schema's sort. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  number: readNumber,
  bigint: readBigint,
  boolean: readBoolean,
  date: readDate,
};

/** Creates the converter of a field. */
export function textConverter(node: Node): TextConverter {
  const value = valueOf(node);
  const item = baseOf(value);
  const takesMissing = hasSort(value, ["optional", "defaulted"]);
  const missing = hasSort(value, ["nullable"]) && !takesMissing
    ? null
    : undefined;
  const { name } = item.sort;
  const read = name === "enum"
    ? (text: string) => readEnum(item.parts as readonly unknown[], text)
    : READERS[name];
  const isMissing = takesMissing || isConverted(item);
  return {
    convert: (text) => {
      if (text === "" && isMissing) return missing;
      return read === undefined ? text : read(text);
    },
    absent: name === "boolean" && !takesMissing ? false : undefined,
  };
}

/** Returns `true` if the schema takes no string, so that `""` means missing. */
function isConverted(node: Node): boolean {
  const { parts, sort } = baseOf(node);
  return sort.name === "union"
    ? (parts as UnionParts).nodes.every(isConverted)
    : sort.name in READERS;
}

/**
 * Lets each option of a union convert the string for itself: `"5"` is a number
 * for `number()` and a string for `string()`.
 */
export function convertOptions(node: Node): Node {
  const { parts, sort } = node;
  if (sort.name === "array") return copy(node, convertOptions(parts as Node));
  if (sort.name === "union") {
    const nodes = (parts as UnionParts).nodes.map((option) =>
      wrap(OPTION, convertOptions(option), textConverter(option).convert)
    );
    return copy(node, { nodes } satisfies UnionParts);
  }
  const inner = innerOf(node);
  return inner
    ? copy(node, { ...parts as Around, inner: convertOptions(inner) })
    : node;
}

function copy(node: Node, parts: unknown): Node {
  const copied = new Node(node.sort, parts, node);
  copied.checks = node.checks;
  return copied;
}

const OPTION: Sort = {
  name: "option",
  run(value, context) {
    const { inner, act } = this.parts as Around;
    return run(inner, read(value, act as TextConverter["convert"]), context);
  },
};

/** Converts a string of the form, and leaves files as they are. */
export function read(
  value: unknown,
  convert: TextConverter["convert"],
): unknown {
  return typeof value === "string" ? convert(value) : value;
}

/** Returns the value of an enum that a string names. */
function readEnum(values: readonly unknown[], text: string): unknown {
  if (values.includes(true) && text === "on") return true;
  const value = values.find((value) => String(value) === text);
  return value === undefined ? text : value;
}

/** The innermost schema of the values: of a list, that of its items. */
export function itemOf(node: Node): Node {
  return baseOf(valueOf(node));
}

/** The schema of the values with all around it. */
function valueOf(node: Node): Node {
  const base = baseOf(node);
  return base.sort.name === "array" ? base.parts as Node : node;
}

function baseOf(node: Node): Node {
  for (let inner = innerOf(node); inner; inner = innerOf(inner)) node = inner;
  return node;
}
