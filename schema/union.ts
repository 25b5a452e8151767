import { type Context, fail, Failure, Later } from "./_failure.ts";
import { Node, run, type Sort, toNode } from "./_node.ts";
import type { MessageOptions } from "./issue.ts";
import type { Schema } from "./schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "./standard_schema.ts";

/**
 * Describes a value that one of several schemas takes. The first that takes it
 * wins.
 *
 * Where exactly one of them gets further than the type of the whole value, its
 * issues are reported, as they tell most.
 *
 * @example A text or a number
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, parse, string, union } from "@gatehouse/web/data-schema";
 *
 * assertEquals(parse(union([string(), number()]), 7), 7);
 * ```
 *
 * @param options The schemas.
 * @param messages What to say where none of them takes the value.
 * @returns The schema.
 */
export function union<const Options extends readonly StandardSchemaV1[]>(
  options: Options,
  messages: MessageOptions = {},
): Schema<InferOutput<Options[number]>, InferInput<Options[number]>> {
  const nodes = options.map(toNode);
  const expected = nodes.map((node) => node.expected).join(" or ");
  const node = new Node(UNIONS, nodes, { ...messages, expected });
  return node as Schema<unknown> as Schema<
    InferOutput<Options[number]>,
    InferInput<Options[number]>
  >;
}

const UNIONS: Sort = {
  name: "union",
  run(value, context) {
    return tryFrom(this, value, context, 0, []);
  },
};

function tryFrom(
  node: Node,
  value: unknown,
  context: Context,
  first: number,
  failures: readonly Failure[],
): unknown {
  const nodes = node.parts as readonly Node[];
  const failed = [...failures];
  for (let index = first; index < nodes.length; index++) {
    const result = run(nodes[index]!, value, context);
    if (result instanceof Later) {
      return result.then((late) =>
        late instanceof Failure
          ? tryFrom(node, value, context, index + 1, [...failed, late])
          : late
      );
    }
    if (!(result instanceof Failure)) return result;
    failed.push(result);
  }
  return judge(node, value, failed);
}

/** Which of the failures tells most. */
function judge(
  { expected, message }: Node,
  value: unknown,
  failures: readonly Failure[],
): Failure {
  const near = failures.filter(({ source }) =>
    source?.code !== "type" && source?.code !== "required"
  );
  if (near.length === 1 && message === undefined) return near[0]!;
  return value === undefined
    ? fail("required", "Required", { expected }, message)
    : fail("union", `Expected ${expected}`, { expected }, message);
}
