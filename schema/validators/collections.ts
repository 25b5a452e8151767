import {
  addPart,
  andThen,
  type Context,
  Failure,
  isPart,
  MAX_ISSUES,
  type Part,
  resolveParts,
} from "../failure.ts";
import { Node, type NodeType, run, toNode, typed, wrongType } from "../node.ts";
import type { MessageOptions } from "../issue.ts";
import type { Entry } from "./record.ts";
import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";

/**
 * Creates a schema for a `Map`.
 *
 * @example A map of ages
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { map, number, parse, string } from "@gatehouse/web/data-schema";
 *
 * const ages = new Map([["ada", 36]]);
 *
 * assertEquals(parse(map(string(), number()), ages), ages);
 * ```
 *
 * @param key The schema of the keys.
 * @param value The schema of the values.
 * @param options The message for a value of another type.
 */
export function map<
  Key extends StandardSchemaV1,
  Value extends StandardSchemaV1,
>(
  key: Key,
  value: Value,
  options: MessageOptions = {},
): Schema<
  Map<InferOutput<Key>, InferOutput<Value>>,
  Map<InferInput<Key>, InferInput<Value>>
> {
  const parts: Entry = { key: toNode(key), value: toNode(value) };
  return typed(new Node(MAPS, parts, options));
}

const MAPS: NodeType = {
  name: "map",
  run(input, context) {
    if (!(input instanceof Map)) return wrongType(this, input);
    const { key, value } = this.parts as Entry;
    return validateEach(
      [...input],
      (entry, context) => {
        const [name, given] = entry as [unknown, unknown];
        return andThen(
          run(key, name, context),
          (outName) =>
            andThen(
              run(value, given, context),
              (outValue) =>
                outName === name && outValue === given
                  ? entry
                  : [outName, outValue],
            ),
        );
      },
      context,
      (entries, isSame) =>
        isSame ? input : new Map(entries as [unknown, unknown][]),
    );
  },
};

/**
 * Creates a schema for a `Set`.
 *
 * @example A set of tags
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse, set, string } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(set(string()), new Set(["a"])), new Set(["a"]));
 * ```
 *
 * @param value The schema of the values.
 * @param options The message for a value of another type.
 */
export function set<Value extends StandardSchemaV1>(
  value: Value,
  options: MessageOptions = {},
): Schema<Set<InferOutput<Value>>, Set<InferInput<Value>>> {
  return typed(new Node(SETS, toNode(value), options));
}

const SETS: NodeType = {
  name: "set",
  run(input, context) {
    if (!(input instanceof Set)) return wrongType(this, input);
    const item = this.parts as Node;
    return validateEach(
      [...input],
      (value, context) => run(item, value, context),
      context,
      (values, isSame) => isSame ? input : new Set(values),
    );
  },
};

/** Validates all items. `create` returns the output of the valid items. */
function validateEach(
  input: readonly unknown[],
  validate: (part: unknown, context: Context) => unknown,
  context: Context,
  create: (output: readonly unknown[], isSame: boolean) => unknown,
): unknown {
  let failed: Part[] | undefined;
  let failures = 0;
  const output: unknown[] = [];
  for (let index = 0; index < input.length; index++) {
    const result = validate(input[index], context);
    output.push(result);
    if (!isPart(result)) continue;
    failed = addPart(failed, result, index);
    if (result instanceof Failure && ++failures >= MAX_ISSUES) break;
  }
  return andThen(resolveParts(failed, output), () => {
    const isSame = output.every((part, index) => part === input[index]);
    return create(output, isSame && !context.copy);
  });
}
