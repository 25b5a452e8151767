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

/** How many issues are enough, and how many characters of pointers. */
const MAX_ERRORS = 100;
const MAX_POINTERS = 8192;

/** Tells what is wrong as RFC 9457 asks for, with a pointer to each value. */
export function problemOf({ status, detail, issues }: InvalidInput): Response {
  const errors: unknown[] = [];
  let room = MAX_POINTERS;
  for (const { part, path, message } of issues.slice(0, MAX_ERRORS)) {
    // Keys can be the client's, and an answer must not outgrow its request.
    const pointer = pointerOf(path, room);
    if (pointer === null) break;
    room -= pointer.length;
    errors.push({ in: part, pointer, detail: message });
  }
  const problem = {
    title: status === 422 ? "Unprocessable Content" : REASONS[status],
    status,
    detail,
    ...errors.length > 0 && { errors },
  };
  const headers = { "Content-Type": "application/problem+json" };
  return new Response(JSON.stringify(problem), { status, headers });
}

/**
 * A JSON Pointer as the fragment of a URI (RFC 6901, section 6); `null` where it
 * needs more characters than there is room for.
 */
function pointerOf(
  path: readonly PropertyKey[],
  room: number,
): string | null {
  let pointer = "#";
  for (const key of path) {
    const text = String(key);
    if (pointer.length + text.length > room) return null;
    const name = text.replaceAll("~", "~0").replaceAll("/", "~1");
    pointer += `/${encodeURIComponent(name.toWellFormed())}`;
  }
  return pointer.length > room ? null : pointer;
}
