import type { IssueParams, Message } from "../issue.ts";

/**
 * One condition on a value of the right type. The functions of
 * `@gatehouse/web/data-schema/checks` create checks for `schema.pipe()`.
 */
export interface Check<in Value> {
  /** The code of the issue. */
  readonly code: string;
  /** The facts behind the message. */
  readonly params: IssueParams;
  /** The message that the caller set. */
  readonly message: Message | undefined;
  /** The default message. */
  readonly text: string;
  /** Returns `true` if the value is valid. It must not throw. */
  readonly test: (value: Value) => boolean;
  /** The path of the issue, relative to the value. */
  readonly path?: readonly PropertyKey[] | undefined;
}

/** Creates a check. All checks have one shape, so that V8 reads them quickly. */
export function makeCheck<Value>(
  code: string,
  params: IssueParams,
  message: Message | undefined,
  text: string,
  test: (value: Value) => boolean,
): Check<Value> {
  return { code, params, message, text, path: undefined, test };
}
