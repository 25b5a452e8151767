// Reads the JSON bodies that clients send, within bounds.

import {
  type BodyBounds,
  type BodyRefusal,
  mediaTypeOf,
  readBody,
} from "./_body.ts";

/** What a JSON body must keep to. */
export interface JSONBounds extends BodyBounds {
  /** How deep arrays and objects may nest. */
  readonly maxDepth: number;
}

/** The bounds of JSON where nobody sets others. */
export const JSON_BOUNDS: JSONBounds = {
  maxBytes: 1024 * 1024,
  maxDepth: 100,
  timeout: 30_000,
};

/** Reads the JSON of a request, or says why not. */
export async function readJSON(
  request: Request,
  bounds: JSONBounds,
): Promise<{ readonly value: unknown } | BodyRefusal> {
  if (!JSON_TYPE.test(mediaTypeOf(request))) return 415;
  const bytes = await readBody(request, bounds);
  if (typeof bytes === "number") return bytes;
  // Before the parser, which recurses on some platforms, as most schemas do.
  if (isDeeper(bytes, bounds.maxDepth)) return 400;
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
 * The key `__proto__`, as it is or escaped. `JSON.parse` makes it a property
 * like any other, and the next copy of the object makes it a prototype.
 */
const PROTOTYPE_KEY =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/** Whether arrays and objects nest deeper. All that matters is ASCII. */
function isDeeper(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case 0x22: // "
        isText = !isText;
        break;
      case 0x5c: // \
        if (isText) index++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (!isText && ++depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (!isText) depth--;
    }
  }
  return false;
}
