// Where a parse begins, and where it calls code of the application.

import { collect, type Context, failBy, Failure, Later } from "./_failure.ts";
import type { Node } from "./_node.ts";
import type { ParseResult } from "./schema.ts";

/** True while code of the application runs: what it throws is its own. */
let isCalling = false;

/** Calls code of the application. */
export function call<Argument, Second>(
  callee: (argument: Argument, second: Second) => unknown,
  argument: Argument,
  second?: Second,
): unknown {
  isCalling = true;
  const result = callee(argument, second!);
  const isLate = typeof (result as Partial<PromiseLike<unknown>>)?.then ===
    "function";
  isCalling = false;
  return isLate ? Later.resolve(result) : result;
}

/**
 * Runs a schema on a whole value. What a hostile value throws, from a getter
 * or a proxy, becomes an issue; what the application throws is thrown.
 */
export function runRoot<Output>(
  node: Node,
  value: unknown,
  context: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  const wasCalling = isCalling;
  isCalling = false;
  try {
    return finish(node, node.run(value, context), context);
  } catch (error) {
    if (isCalling) throw error;
    return finish(node, failBy({ code: "unreadable" }), context);
  } finally {
    isCalling = wasCalling;
  }
}

function finish<Output>(
  node: Node,
  result: unknown,
  context: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  if (result instanceof Failure) {
    const issues = collect(result, context);
    const { fieldOf } = node;
    return { success: false, issues: fieldOf ? issues.map(fieldOf) : issues };
  }
  return result instanceof Later
    ? result.then((late) => finish<Output>(node, late, context))
    : { success: true, value: result as Output };
}
