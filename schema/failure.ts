// Declares the two results of a validator that are not values: failures and
// promises.

import type { Issue, IssueParams, Message, Messages } from "./issue.ts";

/** The state of a parse, which all validators share. */
export interface Context {
  readonly messages?: Messages | undefined;
  readonly maxDepth?: number | undefined;
  readonly copy?: boolean | undefined;
  /** The innermost value that a recursive schema is validating. */
  readonly trail?: Trail | undefined;
  /** The work of recursive schemas so far, shared by the whole parse. */
  work?: Work;
}

/** The work of recursive schemas in one parse. */
export interface Work {
  /** The number of objects and arrays that they visited. */
  visits: number;
  /** The results by schema and value, if a value may be visited again. */
  results?: Map<unknown, Map<unknown, ResultAtDepth>>;
}

/** The result of a recursive schema, which depends on the depth of the value. */
export interface ResultAtDepth {
  readonly depth: number;
  readonly result: unknown;
}

/** A value that a recursive schema is validating. */
export interface Trail {
  readonly value: unknown;
  /** The schema. */
  readonly owner: unknown;
  readonly depth: number;
  readonly outer: Trail | undefined;
}

/** The source of an issue. A check is one. */
export interface IssueSource {
  readonly code: string;
  readonly params: IssueParams;
  /** The message that the caller set. */
  readonly message: Message | undefined;
  /** The default message. */
  readonly text: string;
  /** The path of the issue, relative to the value. */
  readonly path?: readonly PropertyKey[] | undefined;
}

/** The maximum number of issues that a parse reports. */
export const MAX_ISSUES = 100;

/** The result of a validator for an invalid value. */
export class Failure {
  /** The source of the issue, unless parts of the value failed. */
  declare readonly source: IssueSource | undefined;
  /** The parts of the value that failed. */
  declare readonly parts: readonly Part[] | undefined;
  /** The output of the valid parts, if other parts failed. */
  declare readonly output: unknown;
  /** The key in the container, which sets it. */
  declare key: PropertyKey | undefined;

  constructor(
    source: IssueSource | undefined,
    parts?: readonly Part[],
    output?: unknown,
  ) {
    this.source = source;
    this.parts = parts;
    this.output = output;
    this.key = undefined;
  }
}

/** A result that is still pending because a part of the schema is async. */
export class Pending extends Promise<unknown> {
  /** The key in the container, which sets it. */
  declare key: PropertyKey | undefined;
}

/** A part of a value that failed or is pending. */
export type Part = Failure | Pending;

/** Options for {@linkcode createFailure}. */
type IssueOptions = {
  readonly [Name in keyof IssueSource]?: IssueSource[Name] | undefined;
};

/** Creates a failure with one issue. All options have defaults. */
export function createFailure({
  code = "invalid",
  params = {},
  message,
  text = "Invalid value",
  path,
}: IssueOptions = {}): Failure {
  return new Failure({ code, params, message, text, path });
}

/** Creates a failure with one issue of a given code. */
export function failWith(
  code: string,
  text: string,
  params?: IssueParams,
  message?: Message,
): Failure {
  return createFailure({ code, text, message, params });
}

/** Creates the failure of a container with one invalid part. */
export function failAt(key: PropertyKey, part: Failure): Failure {
  part.key = key;
  return new Failure(undefined, [part]);
}

/** Returns `true` if a validator returned a failure or a promise. */
export function isPart(result: unknown): result is Part {
  return result instanceof Failure || result instanceof Pending;
}

/** Adds a part that failed or is pending. */
export function addPart(
  parts: Part[] | undefined,
  part: Part,
  key: PropertyKey | undefined,
): Part[] {
  part.key = key;
  // If a later part throws, no code awaits this promise.
  if (!(part instanceof Failure)) part.catch(() => {});
  parts?.push(part);
  return parts ?? [part];
}

/**
 * Returns the result of a container from its failed and pending parts. Puts the
 * pending parts into the output when they resolve.
 */
export function resolveParts(
  parts: readonly Part[] | undefined,
  output: unknown,
): unknown {
  if (!parts) return output;
  if (!parts.some((part) => part instanceof Pending)) {
    return new Failure(undefined, parts, output);
  }
  return Pending.all(parts).then((results) => {
    let failed: Part[] | undefined;
    results.forEach((result, index) => {
      const key = parts[index]!.key!;
      if (isPart(result)) failed = addPart(failed, result, key);
      else (output as Record<PropertyKey, unknown>)[key] = result;
    });
    return resolveParts(failed, output);
  });
}

/** Calls a function with a value, now or when it resolves. Returns failures. */
export function andThen(
  result: unknown,
  next: (value: unknown) => unknown,
): unknown {
  if (result instanceof Pending) {
    return result.then((late) => andThen(late, next));
  }
  return result instanceof Failure ? result : next(result);
}

/** Converts a failure to the issues that callers see. */
export function toIssues(
  { key, parts, source }: Failure,
  context: Context,
  issues: Issue[] = [],
  outer: readonly PropertyKey[] = [],
): readonly Issue[] {
  // A literal is faster than a spread, and most keys are outermost ones.
  const path = key === undefined
    ? outer
    : outer.length
    ? [...outer, key]
    : [key];
  if (!source) {
    for (const part of parts!) toIssues(part as Failure, context, issues, path);
  } else if (issues.length < MAX_ISSUES) {
    const { code, message = context.messages?.[code] ?? source.text, params } =
      source;
    issues.push({
      code,
      path: source.path ? [...path, ...source.path] : path,
      message: typeof message === "string" ? message : message(params),
      params,
    });
  }
  return issues;
}
