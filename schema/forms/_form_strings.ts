// Converts the strings of a form to the types that the schema requires.

import {
  hasType,
  innerOf,
  Node,
  type NodeType,
  run,
  wrap,
  type Wrapper,
} from "../node.ts";
import {
  readBigint,
  readBoolean,
  readDate,
  readNumber,
} from "../parse_string.ts";
import type { UnionParts } from "../validators/union.ts";

/** The conversion of a field's strings. */
export interface TextConverter {
  /** Converts a string for the schema; `undefined` is a missing value. */
  readonly convert: (text: string) => unknown;
  /** The value of a missing field. */
  readonly absent: unknown;
}

/** The functions that convert strings, by the name of the schema's type. */
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
  const acceptsMissing = hasType(value, ["optional", "defaulted"]);
  const missing = hasType(value, ["nullable"]) && !acceptsMissing
    ? null
    : undefined;
  const { name } = item.type;
  const read = name === "enum"
    ? (text: string) => readEnum(item.parts as readonly unknown[], text)
    : READERS[name];
  const isMissing = acceptsMissing || isConverted(item);
  return {
    convert: (text) => {
      if (text === "" && isMissing) return missing;
      return read === undefined ? text : read(text);
    },
    absent: name === "boolean" && !acceptsMissing ? false : undefined,
  };
}

/** Returns `true` if the schema takes no string, so that `""` means missing. */
function isConverted(node: Node): boolean {
  const { parts, type } = baseOf(node);
  return type.name === "union"
    ? (parts as UnionParts).nodes.every(isConverted)
    : type.name in READERS;
}

/**
 * Lets each option of a union convert the string separately: `"5"` is a number
 * for `number()` and a string for `string()`.
 */
export function convertOptions(node: Node): Node {
  const { parts, type } = node;
  if (type.name === "array") {
    return copyNode(node, convertOptions(parts as Node));
  }
  if (type.name === "union") {
    const nodes = (parts as UnionParts).nodes.map((option) =>
      wrap(OPTION, convertOptions(option), textConverter(option).convert)
    );
    return copyNode(node, { nodes } satisfies UnionParts);
  }
  const inner = innerOf(node);
  return inner
    ? copyNode(node, { ...parts as Wrapper, inner: convertOptions(inner) })
    : node;
}

/** Copies a schema with other parts, and with the form field of another node. */
export function copyNode(
  node: Node,
  parts: unknown,
  { fieldOf } = node,
): Node {
  const { expected, message } = node;
  const copied = new Node(node.type, parts, { expected, fieldOf, message });
  copied.checks = node.checks;
  return copied;
}

const OPTION: NodeType = {
  name: "option",
  run(value, context) {
    const { inner, arg } = this.parts as Wrapper;
    return run(
      inner,
      convertString(value, arg as TextConverter["convert"]),
      context,
    );
  },
};

/** Converts a string of the form, and leaves files as they are. */
export function convertString(
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

/** Returns the innermost schema of the values, or of an array's items. */
export function itemOf(node: Node): Node {
  return baseOf(valueOf(node));
}

/** Returns the schema of the values with its wrappers. */
function valueOf(node: Node): Node {
  const base = baseOf(node);
  return base.type.name === "array" ? base.parts as Node : node;
}

function baseOf(node: Node): Node {
  for (let inner = innerOf(node); inner; inner = innerOf(inner)) node = inner;
  return node;
}
