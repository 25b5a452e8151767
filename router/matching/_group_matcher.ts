import { glob } from "./_glob.ts";
import type { Part } from "../pattern/parse.ts";
import { type GroupMatcher, program } from "./_program.ts";
import { isRegExp } from "../pattern/segments.ts";

/**
 * Returns the fastest matcher of parts that are in a segment, or go to the end
 * of the path.
 *
 * @param folded `true` if it reads lower-case text only.
 */
export function groupMatcher(
  parts: readonly Part[],
  toEnd: boolean,
  folded: boolean,
): GroupMatcher {
  const [{ type, prefix, suffix, modifier }] = parts as [Part];
  // Where there is no modifier there is no text around the group either.
  const shape = parts.length > 1 || type + prefix + modifier + suffix;
  if (shape === "wildcard") return anything;
  if (shape === "segment/+") return wholeSegments;
  return toEnd ||
      parts.some((part) => part.modifier !== "" || isRegExp(part))
    ? program(parts, "/", folded)
    : glob(parts);
}

function anything(
  _text: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): number {
  marks[offset++] = start;
  marks[offset++] = end;
  return offset;
}

/** Segments of which none is empty. */
function wholeSegments(
  text: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): number {
  const empty = text.indexOf("//", start);
  return text[start] === "/" && text[end - 1] !== "/" &&
      (empty < 0 || empty >= end)
    ? anything(text, start + 1, end, marks, offset)
    : -1;
}
