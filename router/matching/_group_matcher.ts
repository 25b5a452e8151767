import type { Part } from "../pattern/parse.ts";
import { isRegExp } from "../pattern/segments.ts";
import { compileParts, type GroupMatcher } from "../pattern/linear_matcher.ts";

/**
 * Returns the fastest matcher of parts that are in a segment, or go to the end
 * of the path.
 *
 * @param folded `true` if it reads lower-case paths only.
 */
export function createGroupMatcher(
  parts: readonly Part[],
  toEnd: boolean,
  folded: boolean,
): GroupMatcher {
  const [{ type, prefix, suffix, modifier }] = parts as [Part];
  // A group without a modifier has no prefix and no suffix here.
  const shape = parts.length > 1 || type + prefix + modifier + suffix;
  if (shape === "wildcard") return matchAnything;
  if (shape === "segment/+") return matchSegments;
  return toEnd ||
      parts.some((part) => part.modifier !== "" || isRegExp(part))
    ? compileParts(parts, "/", folded)
    : createParamMatcher(parts);
}

/** Matches the rest of a path. */
export function matchAnything(
  _path: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): number {
  marks[offset++] = start;
  marks[offset++] = end;
  return offset;
}

/** Matches segments that are not empty. */
function matchSegments(
  path: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): number {
  const empty = path.indexOf("//", start);
  return path[start] === "/" && path[end - 1] !== "/" &&
      (empty < 0 || empty >= end)
    ? matchAnything(path, start + 1, end, marks, offset)
    : -1;
}

/**
 * Creates a matcher of params with literals between them. Searching for each
 * literal from the left gives the groups of URLPattern's lazy expression: the
 * first place leaves the most to the literals after it.
 *
 * @param parts Params and literals, the first of which is a param.
 */
function createParamMatcher(parts: readonly Part[]): GroupMatcher {
  /** The literals after the params. */
  const literals: string[] = [];
  for (const { type, prefix } of parts) {
    if (type === "text") literals[literals.length - 1] += prefix;
    else literals.push("");
  }
  const last = literals.pop()!;
  return (path, start, end, marks, offset) => {
    const stop = end - last.length;
    if (!path.startsWith(last, stop)) return -1;
    let at = start;
    for (const literal of literals) {
      const found = path.indexOf(literal, at + 1);
      if (found < 0 || found >= stop) return -1;
      marks[offset++] = at;
      marks[offset++] = found;
      at = found + literal.length;
    }
    marks[offset++] = at;
    marks[offset++] = stop;
    return at < stop ? offset : -1;
  };
}
