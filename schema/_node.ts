// The class of all schemas. Built for speed without code generation:
// - a validator gives the value itself or a Failure, never a result object;
// - paths and messages are made only after a failure;
// - one class for all schemas, so that walking them stays monomorphic;
// - the commonest types are told apart before their code is called.

import type { Check } from "./check.ts";
import {
  andThen,
  collect,
  type Context,
  failBy,
  Failure,
  isPart,
  Later,
} from "./_failure.ts";
import type { Issue, Message } from "./issue.ts";
import type { ParseResult, RefineOptions, Schema } from "./schema.ts";
import type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaV1,
} from "./standard_schema.ts";

/** The behavior that all schemas of one type share. */
export interface Sort {
  readonly name: string;
  /** `true` if `run` also runs the checks. */
  readonly checks?: true;
  /** Validates: gives the output or a Failure. */
  readonly run: (this: Node, value: unknown, context: Context) => unknown;
}

/** A check from the inside. */
export interface CheckNode<in Value> extends Check<Value> {
  /** Runs the check, if it needs more than a valid value. */
  readonly sort?: Sort;
}

const NO_CHECKS: readonly never[] = [];

/** Names the form field of an issue. */
type FieldOf = (issue: Issue) => Issue;

/** Options of a schema, or the schema from which it is copied. */
interface NodeOptions {
  readonly message?: Message | undefined;
  readonly expected?: string;
  readonly fieldOf?: FieldOf | undefined;
}

/** A schema from the inside. */
export class Node implements Schema<unknown> {
  declare readonly kind: string;
  declare readonly run: Sort["run"];
  declare readonly sort: Sort;
  /** The data of this type of schema: its parts. */
  declare readonly parts: unknown;
  /** The message for values of another type. */
  declare readonly message: Message | undefined;
  /** The name of the type in messages. */
  declare readonly expected: string;
  declare checks: readonly CheckNode<never>[];
  /** Names the form field of an issue, where the input is a form. */
  declare readonly fieldOf: FieldOf | undefined;

  constructor(
    sort: Sort,
    parts?: unknown,
    { expected = sort.name, fieldOf, message }: NodeOptions = {},
  ) {
    this.kind = sort.name;
    this.run = sort.run;
    this.sort = sort;
    this.parts = parts;
    this.message = message;
    this.expected = expected;
    this.fieldOf = fieldOf;
    this.checks = NO_CHECKS;
  }

  get "~standard"(): StandardSchemaProps<unknown, unknown> {
    return {
      version: 1,
      vendor: "gatehouse",
      validate: (value, options) =>
        runRoot(this, value, options?.libraryOptions),
    };
  }

  pipe(...checks: readonly CheckNode<never>[]): this {
    let special: Sort | undefined;
    for (const check of checks) special ??= check.sort;
    // The first checks are its type's, those behind them run on what passed.
    const isFirst = this.sort.checks && this.checks === NO_CHECKS;
    const node: Node = isFirst && !special
      ? new Node(this.sort, this.parts, this)
      : wrap(special ?? STEP, this, (value: unknown) => runChecks(node, value));
    node.checks = checks;
    return node as this;
  }

  refine(
    rule: (value: never) => boolean | PromiseLike<boolean>,
    options?: RefineOptions,
  ): this {
    return wrap(STEP, this, (value: unknown) =>
      andThen(
        call(rule, value as never),
        (passed) => passed ? value : failBy(options),
      )) as this;
  }

  transform<New>(
    change: (value: never, fail: (options?: RefineOptions) => never) => New,
  ): Schema<Awaited<New>, unknown> {
    const node = wrap(
      { ...STEP, name: "transform" },
      this,
      (value: unknown) => call(change, value as never, giveUp),
    );
    return node as Schema<unknown> as Schema<Awaited<New>, unknown>;
  }
}

/**
 * Runs a schema on a whole value. What a hostile value throws, from a getter
 * or a proxy, becomes an issue; what the application throws is thrown.
 */
export function runRoot<Output>(
  node: Node,
  value: unknown,
  options?: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  // What a parse counts is its own.
  const context: Context = options ? { ...options } : {};
  const wasCalling = isCalling;
  isCalling = false;
  let result: unknown;
  try {
    result = run(node, value, context);
  } catch (error) {
    if (isCalling) {
      isCalling = wasCalling;
      throw error;
    }
    result = isPart(error) ? error : failBy({ code: "unreadable" });
  }
  // No finally: Bun is slower with one.
  isCalling = wasCalling;
  // Most values come through as they are, and nobody need ask what they became.
  return result === value
    ? { success: true, value: result as Output }
    : finish(node, result, context);
}

function finish<Output>(
  node: Node,
  result: unknown,
  context: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  if (result instanceof Failure) {
    const issues = collect(result, context);
    return {
      success: false,
      issues: node.fieldOf ? issues.map(node.fieldOf) : issues,
    };
  }
  if (result instanceof Later) {
    const settled = result.catch(failureOf);
    return settled.then((late) => finish<Output>(node, late, context));
  }
  return { success: true, value: result as Output };
}

/** Validates; the commonest schemas at a glance. */
export function run(node: Node, value: unknown, context: Context): unknown {
  const { kind } = node;
  const isOfItsType = typeof value === "string" && kind === "string" ||
    typeof value === "boolean" && kind === "boolean" ||
    typeof value === "number" && kind === "number" && value - value === 0;
  if (isOfItsType) return runChecks(node, value);
  return node.run(value, context);
}

/** The parts of a schema that wraps another. */
export interface Around {
  readonly inner: Node;
  /** A function or default of the wrapper. */
  readonly act: unknown;
}

/** Returns the schema that a schema wraps, if there is one. */
export function innerOf(node: Node): Node | undefined {
  const { inner } = (node.parts ?? {}) as Partial<Around>;
  return inner instanceof Node ? inner : undefined;
}

/** Returns `true` if a schema, or one that it wraps, has one of these types. */
export function hasSort(
  node: Node | undefined,
  names: readonly string[],
): boolean {
  for (; node; node = innerOf(node)) {
    if (names.includes(node.sort.name)) return true;
  }
  return false;
}

/** Creates a schema that wraps another. */
export function wrap(sort: Sort, inner: Node, act?: unknown): Node {
  return new Node(sort, { inner, act } satisfies Around, inner);
}

/** Fails because the value has the wrong type. */
export function wrongType(
  { expected, message }: Node,
  value: unknown,
): Failure {
  const isMissing = value === undefined;
  return failBy({
    code: isMissing ? "required" : "type",
    text: isMissing ? "Required" : `Expected ${expected}`,
    params: { expected },
    message,
  });
}

/** True while code of the application runs: what it throws is its own. */
let isCalling = false;

/** Calls code of the application, which may stop with a failure of ours. */
export function call<Argument, Second>(
  callee: (argument: Argument, second: Second) => unknown,
  argument: Argument,
  second?: Second,
): unknown {
  isCalling = true;
  try {
    const result = callee(argument, second!);
    // What the result's own `then` throws is not the application's error.
    isCalling = false;
    return typeof (result as Partial<PromiseLike<unknown>>)?.then ===
        "function"
      ? Later.resolve(result).catch(failureOf)
      : result;
  } catch (error) {
    return failureOf(error);
  }
}

/** Stops a function of the application that has no value to give. */
function giveUp(options?: RefineOptions): never {
  throw failBy(options);
}

/** Returns the failure that `fail()` threw. Rethrows all other errors. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) {
    isCalling = false;
    return error;
  }
  throw error;
}

/** Runs all checks on a value that has its type. */
export function runChecks(node: Node, value: unknown): unknown {
  let failure: Failure | undefined;
  const { checks } = node;
  for (let index = 0; index < checks.length; index++) {
    const check = checks[index]!;
    if (check.test(value as never)) continue;
    const next = new Failure(check);
    failure = failure ? new Failure(undefined, [failure, next]) : next;
  }
  return failure ?? value;
}

const STEP: Sort = {
  name: "step",
  run(value, context) {
    const { inner, act } = this.parts as Around;
    return andThen(
      run(inner, value, context),
      act as (value: unknown) => unknown,
    );
  },
};

/** The inside of a schema; schemas of other libraries get one around them. */
export function toNode(schema: StandardSchemaV1): Node {
  if (schema instanceof Node) return schema;
  const standard = schema["~standard"];
  return new Node({
    name: "value",
    run: (value) => andThen(call(standard.validate, value), adapt),
  }, standard);
}

function adapt(result: unknown): unknown {
  const { issues, value } = result as {
    issues?: readonly StandardSchemaIssue[];
    value: unknown;
  };
  return issues
    ? new Failure(
      undefined,
      issues.map(({ message, path }) =>
        failBy({
          message,
          path: path?.map((segment) =>
            (segment as { key?: PropertyKey }).key ?? segment as PropertyKey
          ),
        })
      ),
    )
    : value;
}
