import { REASONS } from "./_body.ts";

/** A part of a request that a schema validates. */
export type InputPart = "params" | "query" | "json" | "form";

/** Why a request is turned away. */
export interface InvalidInput {
  /**
   * The status that fits: 422 where a schema refused a value; 400, 408, 413 or
   * 415 where the body could not be read.
   */
  readonly status: 400 | 408 | 413 | 415 | 422;
  /** The same in a sentence. */
  readonly detail: string;
  /** What is wrong with the values; empty where there are none yet. */
  readonly issues: readonly InvalidInputIssue[];
}

/** What is wrong with one value. It never holds the value. */
export interface InvalidInputIssue {
  /** The part of the request that the value is in. */
  readonly part: InputPart;
  /** Where it is: the keys that lead from the part to the value. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, as the schema says it. */
  readonly message: string;
  /** The name of the form field, where the schema tells it. */
  readonly field?: string;
}

/** How many issues are enough: an answer must not outgrow its request. */
const MAX_ERRORS = 100;

/** Tells what is wrong as RFC 9457 asks for, with a pointer to each value. */
export function problemOf({ status, detail, issues }: InvalidInput): Response {
  const errors = issues.slice(0, MAX_ERRORS).map(errorOf);
  const problem = {
    title: status === 422 ? "Unprocessable Content" : REASONS[status],
    status,
    detail,
    ...errors.length > 0 && { errors },
  };
  const headers = { "Content-Type": "application/problem+json" };
  return new Response(JSON.stringify(problem), { status, headers });
}

function errorOf({ part, path, message }: InvalidInputIssue): unknown {
  return { in: part, pointer: pointerOf(path), detail: message };
}

/** A JSON Pointer as the fragment of a URI (RFC 6901, section 6). */
function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = "#";
  for (const key of path) {
    const name = String(key).replaceAll("~", "~0").replaceAll("/", "~1");
    pointer += `/${encodeURIComponent(name.toWellFormed())}`;
  }
  return pointer;
}
