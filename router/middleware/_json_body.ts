// Reads JSON bodies within limits.

import type { RequestContext } from "../mod.ts";
import { mediaTypeOf } from "../content/media_type.ts";
import { type BodyErrorStatus, type BodyLimits, readBody } from "./_body.ts";

/** Limits of a JSON body. */
export interface JSONLimits extends BodyLimits {
  /** The maximum nesting of arrays and objects. */
  readonly maxDepth: number;
}

/** The default limits of JSON. */
export const JSON_LIMITS: JSONLimits = {
  maxBytes: 1024 * 1024,
  maxDepth: 100,
  timeout: 30_000,
};

/** Returns `true` if the body of a request has a type of JSON. */
export function hasJSON(request: Request): boolean {
  return JSON_TYPE.test(mediaTypeOf(request));
}

/** Reads the JSON of a request. Returns the status of the error otherwise. */
export async function readJSON(
  context: RequestContext,
  limits: JSONLimits,
): Promise<{ readonly value: unknown } | BodyErrorStatus> {
  if (!hasJSON(context.request)) return 415;
  const bytes = await readBody(context, limits);
  if (typeof bytes === "number") return bytes;
  // The depth is checked first, because some parsers and most schemas are
  // recursive.
  if (isDeeper(bytes, limits.maxDepth)) return 400;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return PROTOTYPE_KEY.test(text) ? 400 : { value: JSON.parse(text) };
  } catch {
    return 400;
  }
}

/** `application/json`, and types built on it (RFC 6839, section 3.1). */
const JSON_TYPE = /^application\/(?:json|[^;\s]+\+json)$/;

/**
 * The key `__proto__`, escaped or not. `JSON.parse` creates a plain property, but
 * the next copy of the object may turn it into the prototype.
 */
const PROTOTYPE_KEY =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/** Returns `true` if arrays and objects nest deeper. Only ASCII matters. */
function isDeeper(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case 0x22: // "
        isString = !isString;
        break;
      case 0x5c: // \
        if (isString) index++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (!isString && ++depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (!isString) depth--;
    }
  }
  return false;
}
