import type { IssueParams, Message } from "./issue.ts";

/**
 * One condition on a value that already has its type. Made by the functions
 * of `@gatehouse/web/data-schema/checks` and given to `schema.pipe()`.
 */
export interface Check<in Value> {
  /** The code of the issue. */
  readonly code: string;
  /** The facts behind the message. */
  readonly params: IssueParams;
  /** The message that the caller set. */
  readonly message: Message | undefined;
  /** The message where the caller set none. */
  readonly text: string;
  /** Tells whether the condition holds. It must not throw. */
  readonly test: (value: Value) => boolean;
  /** The path of the issue, relative to the value. */
  readonly path?: readonly PropertyKey[] | undefined;
}

/** Makes a check. All of them look alike, so that reading them stays fast. */
export function makeCheck<Value>(
  code: string,
  params: IssueParams,
  message: Message | undefined,
  text: string,
  test: (value: Value) => boolean,
): Check<Value> {
  return { code, params, message, text, path: undefined, test };
}
