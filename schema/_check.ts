import type { Check } from "./check.ts";
import type { IssueParams, Message } from "./issue.ts";

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
