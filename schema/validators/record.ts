import {
  addPart,
  andThen,
  Failure,
  failWith,
  isPart,
  MAX_ISSUES,
  type Part,
  resolveParts,
} from "../failure.ts";
import { Node, type NodeType, run, toNode, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema for an object whose keys are data. One schema validates every
 * own key, another every value. The key `__proto__` is invalid.
 *
 * @example Scores by name
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parse, record, string } from "@gatehouse/web/data-schema";
 *
 * const Scores = record(string(), number());
 *
 * assertEquals(parse(Scores, { ada: 3, bob: 5 }), { ada: 3, bob: 5 });
 * ```
 *
 * @param key The schema of the keys.
 * @param value The schema of the values.
 * @param options The message for a value of another type.
 */
export function record<
  Key extends StandardSchemaV1<string, string>,
  Value extends StandardSchemaV1,
>(
  key: Key,
  value: Value,
  options: MessageOptions = {},
): Schema<
  RecordOf<InferOutput<Key>, InferOutput<Value>>,
  RecordOf<InferInput<Key>, InferInput<Value>>
> {
  const parts: Entry = { key: toNode(key), value: toNode(value) };
  return typed(new Node(RECORDS, parts, options));
}

/** An object whose keys are data. Keys of a fixed set are optional. */
export type RecordOf<Key extends string, Value> = string extends Key
  ? Record<Key, Value>
  : { [Name in Key]?: Value };

/** The schemas of an entry. */
export interface Entry {
  readonly key: Node;
  readonly value: Node;
}

const RECORDS: NodeType = {
  name: "record",
  run(input, context) {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return wrongType(this, input);
    }
    const { key, value } = this.parts as Entry;
    const entries = Object.entries(input);
    let isSame = !context.copy;
    let failed: Part[] | undefined;
    let failures = 0;
    const pairs: (readonly [string, unknown])[] = [];
    for (const [name, given] of entries) {
      const outKey = name === "__proto__"
        ? rejectKey()
        : run(key, name, context);
      const pair = andThen(outKey, (outName) => {
        if (outName === "__proto__") return rejectKey();
        return andThen(run(value, given, context), (outValue) => {
          if (outName !== name || outValue !== given) isSame = false;
          return [outName, outValue];
        });
      });
      if (isPart(pair)) {
        failed = addPart(failed, pair, name);
        if (pair instanceof Failure && ++failures >= MAX_ISSUES) break;
      } else pairs.push(pair as [string, unknown]);
    }
    const late: Record<string, readonly [string, unknown]> = {};
    return andThen(resolveParts(failed, late), () => {
      for (const pair of Object.values(late)) pairs.push(pair);
      return isSame ? input : Object.fromEntries(pairs);
    });
  },
};

function rejectKey(): Failure {
  return failWith("forbidden_key", "Key is not allowed");
}
