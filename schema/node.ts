// This class represents all schemas. It is built for speed without code
// generation: a validator returns the value itself or a Failure, never a result
// object. Paths and messages are created only after a failure. All schemas have
// one class, so that calls stay monomorphic. The most common types are checked
// before their code is called.

import { boundPatterns } from "./checks/bounded_patterns.ts";
import type { Check } from "./checks/check.ts";
import {
  andThen,
  type Context,
  createFailure,
  Failure,
  isPart,
  Pending,
  toIssues,
} from "./failure.ts";
import type { FormShape } from "./forms/form_object.ts";
import type { Issue, Message, MessageOptions } from "./issue.ts";
import type { ParseResult, RefineOptions, Schema } from "./schema.ts";
import type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaV1,
} from "./standard_schema.ts";

/** The behavior that all schemas of one type share. */
export interface NodeType {
  readonly name: string;
  /** `true` if `run` also runs the checks. */
  readonly checks?: true;
  /** Creates a schema of this type with other properties, if it is a form. */
  readonly create?: (
    shape: FormShape,
    options: MessageOptions,
  ) => Schema<unknown>;
  /** Validates a value. Returns the output or a Failure. */
  readonly run: (this: Node, value: unknown, context: Context) => unknown;
}

/** A check with its internal properties. */
export interface CheckNode<in Value> extends Check<Value> {
  /** Runs the check, if it needs more than a valid value. */
  readonly type?: NodeType;
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

/** The class of all schemas. */
export class Node implements Schema<unknown> {
  declare readonly kind: string;
  declare readonly run: NodeType["run"];
  declare readonly type: NodeType;
  /** The data that this type of schema needs, such as its inner schemas. */
  declare readonly parts: unknown;
  /** The message for values of another type. */
  declare readonly message: Message | undefined;
  /** The name of the type in messages. */
  declare readonly expected: string;
  declare checks: readonly CheckNode<never>[];
  /** Names the form field of an issue, if the input is a form. */
  declare readonly fieldOf: FieldOf | undefined;

  constructor(
    type: NodeType,
    parts?: unknown,
    { expected = type.name, fieldOf, message }: NodeOptions = {},
  ) {
    this.kind = type.name;
    this.run = type.run;
    this.type = type;
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
    let special: NodeType | undefined;
    for (const check of checks) special ??= check.type;
    // The type itself runs the first checks. Later ones run as a step on valid
    // output.
    const isFirst = this.type.checks && this.checks === NO_CHECKS;
    const node: Node = isFirst && !special
      ? new Node(this.type, this.parts, this)
      : wrap(special ?? STEP, this, (value: unknown) => runChecks(node, value));
    node.checks = boundPatterns(checks);
    return node as this;
  }

  refine(
    rule: (value: never) => boolean | PromiseLike<boolean>,
    options?: RefineOptions,
  ): this {
    return wrap(STEP, this, (value: unknown) =>
      andThen(
        call(rule, value as never),
        (passed) => passed ? value : createFailure(options),
      )) as this;
  }

  transform<New>(
    change: (value: never, fail: (options?: RefineOptions) => never) => New,
  ): Schema<Awaited<New>, unknown> {
    const node = wrap(
      { ...STEP, name: "transform" },
      this,
      (value: unknown) => call(change, value as never, throwFailure),
    );
    return typed(node);
  }
}

/**
 * Runs a schema on a whole value. An error from the value itself (a getter or a
 * proxy) becomes an issue. Errors of the application's functions are rethrown.
 */
export function runRoot<Output>(
  node: Node,
  value: unknown,
  options?: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  // The counters belong to one parse, so the options are copied.
  const context: Context = options ? { ...options } : {};
  const wasCalling = isCalling;
  isCalling = false;
  let result: unknown;
  try {
    result = run(node, value, context);
  } catch (error) {
    if (isCalling) throw error;
    result = isPart(error) ? error : createFailure({ code: "unreadable" });
  } finally {
    isCalling = wasCalling;
  }
  // Most values are their own output and need no further checks.
  return result === value
    ? { success: true, value: result as Output }
    : toResult(node, result, context);
}

function toResult<Output>(
  node: Node,
  result: unknown,
  context: Context,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  if (result instanceof Failure) {
    const issues = toIssues(result, context);
    return {
      success: false,
      issues: node.fieldOf ? issues.map(node.fieldOf) : issues,
    };
  }
  if (result instanceof Pending) {
    const settled = result.catch(catchFailure);
    return settled.then((late) => toResult<Output>(node, late, context));
  }
  return { success: true, value: result as Output };
}

/** Validates a value, with a fast path for the most common types. */
export function run(node: Node, value: unknown, context: Context): unknown {
  const { kind } = node;
  // For NaN and the infinities, `value - value` is NaN.
  const isOfItsType = typeof value === "string" && kind === "string" ||
    typeof value === "boolean" && kind === "boolean" ||
    typeof value === "number" && kind === "number" && value - value === 0;
  if (isOfItsType) return runChecks(node, value);
  return node.run(value, context);
}

/** The parts of a schema that wraps another. */
export interface Wrapper {
  readonly inner: Node;
  /** The wrapper's function or default. */
  readonly arg: unknown;
}

/** Returns the schema that a schema wraps, if there is one. */
export function innerOf(node: Node): Node | undefined {
  const { inner } = (node.parts ?? {}) as Partial<Wrapper>;
  return inner instanceof Node ? inner : undefined;
}

/** Returns `true` if a schema, or one that it wraps, has one of these types. */
export function hasType(
  node: Node | undefined,
  names: readonly string[],
): boolean {
  for (; node; node = innerOf(node)) {
    if (names.includes(node.type.name)) return true;
  }
  return false;
}

/** Creates a schema that wraps another. */
export function wrap(type: NodeType, inner: Node, arg?: unknown): Node {
  return new Node(type, { inner, arg } satisfies Wrapper, inner);
}

/** Creates the failure for a value of the wrong type. */
export function wrongType(
  { expected, message }: Node,
  value: unknown,
): Failure {
  const isMissing = value === undefined;
  return createFailure({
    code: isMissing ? "required" : "type",
    text: isMissing ? "Required" : `Expected ${expected}`,
    params: { expected },
    message,
  });
}

/** `true` while a function of the application runs: its errors are rethrown. */
let isCalling = false;

/** Calls a function of the application, which may throw a failure by `fail()`. */
export function call<Argument, Second>(
  callee: (argument: Argument, second: Second) => unknown,
  argument: Argument,
  second?: Second,
): unknown {
  isCalling = true;
  try {
    const result = callee(argument, second!);
    // The `then` of a hostile result may throw, which is not an error of the
    // application.
    isCalling = false;
    return typeof (result as Partial<PromiseLike<unknown>>)?.then ===
        "function"
      ? Pending.resolve(result).catch(catchFailure)
      : result;
  } catch (error) {
    return catchFailure(error);
  }
}

/** Throws a failure, which stops a function of the application. */
function throwFailure(options?: RefineOptions): never {
  throw createFailure(options);
}

/** Returns the failure that `fail()` threw. Rethrows all other errors. */
function catchFailure(error: unknown): Failure {
  if (error instanceof Failure) {
    isCalling = false;
    return error;
  }
  throw error;
}

/** Runs all checks on a value of the right type. */
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

const STEP: NodeType = {
  name: "step",
  run(value, context) {
    const { inner, arg } = this.parts as Wrapper;
    return andThen(
      run(inner, value, context),
      arg as (value: unknown) => unknown,
    );
  },
};

/**
 * Returns a node as the schema that the calling function declares. Only the types
 * know the values of a schema: a node has none of them.
 */
export function typed<Declared extends StandardSchemaV1>(node: Node): Declared {
  return node as StandardSchemaV1 as Declared;
}

/** Returns a schema as a node. Wraps schemas of other libraries. */
export function toNode(schema: StandardSchemaV1): Node {
  if (schema instanceof Node) return schema;
  const standard = schema["~standard"];
  return new Node({
    name: "value",
    run: (value) => andThen(call(standard.validate, value), convertResult),
  }, standard);
}

function convertResult(result: unknown): unknown {
  const { issues, value } = result as {
    issues?: readonly StandardSchemaIssue[];
    value: unknown;
  };
  return issues
    ? new Failure(
      undefined,
      issues.map(({ message, path }) =>
        createFailure({
          message,
          path: path?.map((segment) =>
            (segment as { key?: PropertyKey }).key ?? segment as PropertyKey
          ),
        })
      ),
    )
    : value;
}
