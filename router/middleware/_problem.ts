import type { ProblemInit } from "../mod.ts";

/** A part of a request that a schema validates. */
export type InputPart = "params" | "query" | "json" | "form";

/** The reason why a request is rejected. */
export interface InvalidInput {
  /**
   * The suggested status: 422 if a schema rejected a value; 400, 408, 413 or 415
   * if the body could not be read.
   */
  readonly status: 400 | 408 | 413 | 415 | 422;
  /** The reason as a sentence. */
  readonly detail: string;
  /** The issues of the values; empty if the body could not be read. */
  readonly issues: readonly InvalidInputIssue[];
}

/** An issue of one value. It never contains the value. */
export interface InvalidInputIssue {
  /** The part of the request that the value is in. */
  readonly part: InputPart;
  /** The keys that lead from the part to the value. */
  readonly path: readonly PropertyKey[];
  /** The message of the schema. */
  readonly message: string;
  /** The name of the form field, if the schema provides it. */
  readonly field?: string;
}

/**
 * The maximum number of issues in a response, and of characters in their
 * pointers.
 */
const MAX_ERRORS = 100;
const MAX_POINTERS = 8192;

/** Creates problem details (RFC 9457) with a pointer to each invalid value. */
export function createProblem(
  { status, detail, issues }: InvalidInput,
): ProblemInit {
  const errors: unknown[] = [];
  let room = MAX_POINTERS;
  for (const { part, path, message } of issues.slice(0, MAX_ERRORS)) {
    // The client may choose the keys, so the response must not outgrow the
    // request.
    const pointer = pointerOf(path, room);
    if (pointer === null) break;
    room -= pointer.length;
    errors.push({ in: part, pointer, detail: message });
  }
  return { status, detail, ...errors.length > 0 && { errors } };
}

/**
 * Returns a JSON Pointer as the fragment of a URI (RFC 6901, section 6), or `null`
 * if it is too long.
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
