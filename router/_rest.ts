import type { Part } from "./_parse.ts";
import { type GroupMatcher, program } from "./_program.ts";
import { isRegExp } from "./_segments.ts";

/** What matches the rest of a path; anything, where the platform decides. */
export function restMatcher(parts: readonly Part[]): GroupMatcher {
  const [{ type, prefix, suffix, modifier }] = parts as [Part];
  // Where there is no modifier there is no text around the group either.
  const shape = parts.length > 1 || type + prefix + modifier + suffix;
  return shape === "wildcard" || parts.some(isRegExp)
    ? anything
    : shape === "segment/+"
    ? wholeSegments
    : program(parts, "/");
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
