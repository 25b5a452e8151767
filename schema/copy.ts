// Copies plain data, so that schemas never share it with requests.

/** The deepest nesting of a copy, which stops at cycles too. */
const MAX_DEPTH = 100;

/**
 * Copies plain objects, arrays, dates, maps and sets at every depth. Returns
 * primitives, functions and instances of other classes as they are.
 */
export function copyPlain(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) {
    throw new TypeError(
      `Cannot copy default: it contains itself or nests deeper than ${MAX_DEPTH} levels`,
    );
  }
  const copy = (part: unknown) => copyPlain(part, depth + 1);
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Set) return new Set([...value].map(copy));
  if (value instanceof Map) {
    return new Map([...value].map(([key, part]) => [copy(key), copy(part)]));
  }
  if (!isPlain(value)) return value;
  const output = Object.create(Object.getPrototypeOf(value));
  for (const key of Object.keys(value)) {
    if (key !== "__proto__") output[key] = copy(value[key]);
  }
  return output;
}

/** Returns `true` for an object literal, or an object without a prototype. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
