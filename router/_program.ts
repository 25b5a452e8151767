import { type Part, textPart } from "./_parse.ts";
import { isOptional, isRepeated } from "./_segments.ts";

// What can be next: the value of a part goes on, or the part is behind it,
// matched or left out.
const GO_ON = 0;
const MATCHED = 1;
const LEFT_OUT = 2;

/**
 * Matches all of a part of a text, and notes start and end of each group, -1
 * where it is absent.
 *
 * @param offset Where in `marks` to begin.
 * @returns Where the marks end, or -1 where it does not match.
 */
export type GroupMatcher = (
  text: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
) => number;

/** What short runs note, one after the other. */
const SEEN = /* @__PURE__ */ new Uint8Array(4096);

/** What a run may note, in bytes: no server accepts URLs as long as that. */
const MAX_STATES = 2 ** 25;

/**
 * Matches parts in linear time. It tries what the regular expression of
 * URLPattern would try, in the same order, but nothing twice at the same
 * position. Captures are those that the expression would have.
 *
 * @param given The parts, none of which is a regexp group.
 * @param delimiter What ends a segment, or "".
 */
export function program(
  given: readonly Part[],
  delimiter: string,
): GroupMatcher {
  // A run begins behind a text that is empty.
  const parts = [textPart(""), ...given];
  // Where the marks of each part are; text has those of the next group.
  let length = 0;
  const slots = parts.map(({ type }) =>
    type === "text" ? length : (length += 2) - 2
  );
  const stop = delimiter.charCodeAt(0);
  return (text, start, end, marks, offset) => {
    const width = end - start + 1;
    const states = parts.length * width;
    if (states > MAX_STATES) return -1;
    const seen = states > SEEN.length
      ? new Uint8Array(states)
      : SEEN.fill(0, 0, states);
    // What is left to try, the best last.
    const stack = [MATCHED, 0, start];
    while (stack.length > 0) {
      let at = stack.pop()!;
      const index = stack.pop()!;
      const kind = stack.pop()!;
      if (at > end) continue;
      const state = index * width + at - start;
      // Behind a part all goes on alike, whether it matched or was left out.
      const once = kind === GO_ON ? 1 : 2;
      if ((seen[state]! & once) !== 0) continue;
      seen[state]! |= once;
      const part = parts[index]!;
      const { type, prefix, suffix, modifier } = part;
      const isBare = prefix + suffix === "";
      const mark = offset + slots[index]!;
      if (kind === GO_ON) {
        if (type === "segment") {
          if (text.charCodeAt(at) === stop) continue;
          stack.push(GO_ON, index, ++at);
        }
        // An optional group that would be empty counts as absent.
        const isEmpty = isBare && modifier === "?" && at === marks[mark];
        if (!isEmpty && text.startsWith(suffix, at)) {
          stack.push(MATCHED, index, at + suffix.length);
        }
        if (isRepeated(part) && text.startsWith(suffix + prefix, at)) {
          stack.push(GO_ON, index, at + suffix.length + prefix.length);
        }
        if (type === "wildcard") stack.push(GO_ON, index, at + 1);
        continue;
      }
      if (kind === LEFT_OUT) {
        marks[mark] = isBare && modifier === "*" ? at : -1;
      }
      marks[mark + 1] = at - suffix.length;
      const next = parts[index + 1];
      if (next === undefined) {
        if (at === end) return offset + length;
        continue;
      }
      if (isOptional(next)) stack.push(LEFT_OUT, index + 1, at);
      if (text.startsWith(next.prefix, at)) {
        at += next.prefix.length;
        marks[offset + slots[index + 1]!] = at;
        stack.push(GO_ON, index + 1, at);
      }
    }
    return -1;
  };
}
