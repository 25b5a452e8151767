import type { Check } from "./check.ts";
import { addPart, Failure, type Part, Pending } from "../failure.ts";
import {
  type CheckNode,
  type Node,
  type NodeType,
  run,
  runChecks,
  type Wrapper,
} from "../node.ts";
import type { MessageOptions } from "../issue.ts";

/**
 * Checks that two fields are equal, such as a password and its confirmation.
 *
 * The issue belongs to the second field. The fields are compared even if other
 * fields are invalid, but not if one of the two is.
 *
 * @example A password and its confirmation
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, parseSafe, string } from "@gatehouse/web/data-schema";
 * import { fieldsMatch } from "@gatehouse/web/data-schema/checks";
 *
 * const Form = object({ password: string(), again: string() }).pipe(
 *   fieldsMatch("password", "again", { message: "Passwords do not match" }),
 * );
 * const result = parseSafe(Form, { password: "a", again: "b" });
 *
 * assertEquals(result.success, false);
 * if (!result.success) assertEquals(result.issues[0]?.path, ["again"]);
 * ```
 *
 * @param first The field to compare with.
 * @param second The field that must have the same value.
 * @param options The message.
 * @returns The check.
 */
export function fieldsMatch<First extends string, Second extends string>(
  first: First,
  second: Second,
  options: MessageOptions = {},
): Check<{ readonly [Key in First | Second]: unknown }> {
  const check: PartialCheck<First | Second> = {
    code: "fields_match",
    params: { first, second },
    message: options.message,
    text: "Fields do not match",
    test: (value) => value[first] === value[second],
    path: [second],
    needs: [first, second],
    type: PARTIAL,
  };
  return check;
}

/** A check that also runs if other properties of the object failed. */
interface PartialCheck<Key extends string>
  extends CheckNode<{ readonly [Name in Key]: unknown }> {
  /** The properties that it reads. */
  readonly needs: readonly Key[];
}

const PARTIAL: NodeType = {
  name: "step",
  run(value, context) {
    const result = run((this.parts as Wrapper).inner, value, context);
    return result === value
      ? runChecks(this, value)
      : checkOutput(this, result);
  },
};

function checkOutput(node: Node, result: unknown): unknown {
  if (result instanceof Pending) {
    return result.then((late) => checkOutput(node, late));
  }
  if (!(result instanceof Failure)) return runChecks(node, result);
  const { output, parts } = result;
  if (!parts || !output) return result;
  let more: Part[] | undefined;
  const checks = node.checks as readonly PartialCheck<never>[];
  for (let index = 0; index < checks.length; index++) {
    const check = checks[index]!;
    const { needs, test } = check;
    if (!needs || hasFailed(parts as readonly Failure[], needs)) continue;
    if (!test(output as never)) {
      more = addPart(more, new Failure(check), undefined);
    }
  }
  return more ? new Failure(undefined, [...parts, ...more], output) : result;
}

/** Returns `true` if a failure concerns one of the properties. */
function hasFailed(
  parts: readonly Failure[],
  keys: readonly PropertyKey[],
): boolean {
  for (let index = 0; index < parts.length; index++) {
    const { key, source } = parts[index]!;
    const failed = key ?? source?.path?.[0];
    for (let other = 0; other < keys.length; other++) {
      if (keys[other] === failed) return true;
    }
  }
  return false;
}
