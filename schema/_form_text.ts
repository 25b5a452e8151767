// What the texts of a form become, by the type that the schema asks for.

import { hasSort, innerOf, type Node } from "./_node.ts";
import { readBigint, readBoolean, readDate, readNumber } from "./_text.ts";

/** How to read the texts of a field. */
export interface TextConverter {
  /** Turns a text into what the schema takes; `undefined` is missing. */
  readonly convert: (text: string) => unknown;
  /** What a value that is not there becomes. */
  readonly absent: unknown;
}

/** The types that texts are converted to, by the name of the schema's sort. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  number: readNumber,
  bigint: readBigint,
  boolean: readBoolean,
  date: readDate,
};

/** Finds out how the texts of a field are read. */
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
  const isMissing = takesMissing || name in READERS;
  return {
    convert: (text) => {
      if (text === "" && isMissing) return missing;
      return read === undefined ? text : read(text);
    },
    absent: name === "boolean" && !takesMissing ? false : undefined,
  };
}

/** The value that a text names, of those that there are. */
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
