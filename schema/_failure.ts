// The results of validators other than values: failures and promises.

import type { Issue, IssueParams, Message, Messages } from "./issue.ts";

/** The state of a parse, which all validators share. */
export interface Context {
  readonly messages?: Messages | undefined;
  readonly maxDepth?: number | undefined;
  readonly copy?: boolean | undefined;
  /** The innermost value that a recursive schema is in the middle of. */
  readonly trail?: Trail | undefined;
  /** The work of recursive schemas so far, shared by the whole parse. */
  work?: Work;
}

/** The work of recursive schemas in one parse. */
export interface Work {
  /** The number of objects and arrays that they looked at. */
  visits: number;
  /** The results by schema and value, once a value may be met again. */
  results?: Map<unknown, Map<unknown, ResultAtDepth>>;
}

/** The result of a recursive schema, which depends on the depth of the value. */
export interface ResultAtDepth {
  readonly depth: number;
  readonly result: unknown;
}

/** A value that a recursive schema is in the middle of. */
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

/** The most issues that a parse reports. */
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

/** A value or failure that is not known yet. */
export class Later extends Promise<unknown> {
  /** The key in the container, which sets it. */
  declare key: PropertyKey | undefined;
}

/** A part of a value that failed or is not known yet. */
export type Part = Failure | Later;

/** Options for {@linkcode failBy}. */
type IssueOptions = {
  readonly [Name in keyof IssueSource]?: IssueSource[Name] | undefined;
};

/** Creates a failure with one issue. All options have defaults. */
export function failBy({
  code = "invalid",
  params = {},
  message,
  text = "Invalid value",
  path,
}: IssueOptions = {}): Failure {
  return new Failure({ code, params, message, text, path });
}

/** Creates a failure with one issue of a given code. */
export function fail(
  code: string,
  text: string,
  params?: IssueParams,
  message?: Message,
): Failure {
  return failBy({ code, text, message, params });
}

/** Returns `true` if a validator returned something else than a value. */
export function isPart(result: unknown): result is Part {
  return result instanceof Failure || result instanceof Later;
}

/** Adds a part that failed or is not known yet. */
export function add(
  parts: Part[] | undefined,
  part: Part,
  key: PropertyKey | undefined,
): Part[] {
  part.key = key;
  // Nobody waits for it any more where the next part throws.
  if (!(part instanceof Failure)) part.catch(() => {});
  parts?.push(part);
  return parts ?? [part];
}

/**
 * The result of a container of which some parts failed or are not known yet.
 * Those are put into the output once they are known.
 */
export function conclude(
  parts: readonly Part[] | undefined,
  output: unknown,
): unknown {
  if (!parts) return output;
  if (!parts.some((part) => part instanceof Later)) {
    return new Failure(undefined, parts, output);
  }
  return Later.all(parts).then((results) => {
    let failed: Part[] | undefined;
    results.forEach((result, index) => {
      const key = parts[index]!.key!;
      if (isPart(result)) failed = add(failed, result, key);
      else (output as Record<PropertyKey, unknown>)[key] = result;
    });
    return conclude(failed, output);
  });
}

/** Goes on with a value: now, later, or not at all. */
export function andThen(
  result: unknown,
  next: (value: unknown) => unknown,
): unknown {
  if (result instanceof Later) {
    return result.then((late) => andThen(late, next));
  }
  return result instanceof Failure ? result : next(result);
}

/** Makes the issues that users see. */
export function collect(
  { key, parts, source }: Failure,
  context: Context,
  issues: Issue[] = [],
  above: readonly PropertyKey[] = [],
): readonly Issue[] {
  const path = key === undefined
    ? above
    : above.length > 0
    ? [...above, key]
    : [key];
  if (!source) {
    for (const part of parts!) collect(part as Failure, context, issues, path);
  } else if (issues.length < MAX_ISSUES) {
    const { code, params } = source;
    const message = source.message ?? context.messages?.[code] ?? source.text;
    issues.push({
      code,
      path: source.path ? [...path, ...source.path] : path,
      message: typeof message === "string" ? message : message(params),
      params,
    });
  }
  return issues;
}
