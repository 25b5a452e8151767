import { emitParts } from "./_compile.ts";
import type { Part } from "../pattern/parse.ts";
import {
  BOUNDARY,
  MARK,
  NOT_EMPTY,
  SET,
  SPLIT,
  type State,
  statesOf,
  TEXT,
} from "../pattern/states.ts";

/**
 * Matches a part of a text as a whole, and notes start and end of each group,
 * -1 for groups that are absent.
 *
 * @param offset Where in `marks` to begin.
 * @returns Where the marks end, or -1 if the text does not match.
 */
export type GroupMatcher = (
  text: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
) => number;

/** The states of short runs, one after the other. */
const SEEN = /* @__PURE__ */ new Uint8Array(4096);

/** The most states that a run may see, in bytes; a longer text does not match. */
const MAX_SEEN = 2 ** 22;

/**
 * Matches parts in linear time, regexp groups included. It tries what the
 * regular expression of URLPattern would try, in the same order, but nothing
 * twice at the same position. So the groups have the values that the expression
 * would give them.
 *
 * @param delimiter What ends a segment, or "".
 * @param folded `true` if the texts are in lower case.
 * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
 * @see {@link https://swtch.com/~rsc/regexp/regexp2.html | Russ Cox, backtracking with a memory}
 */
export function program(
  parts: readonly Part[],
  delimiter: string,
  folded: boolean,
): GroupMatcher {
  let states: readonly State[] | null = null;
  const length = parts.filter(({ type }) => type !== "text").length * 2;
  return (text, start, end, marks, offset) => {
    states ??= statesOf(emitParts(parts, delimiter), folded);
    const behind = offset + length;
    for (let i = offset; i < behind; i++) marks[i] = -1;
    return run(states, text, start, end, marks, offset) ? behind : -1;
  };
}

function run(
  states: readonly State[],
  text: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): boolean {
  const width = end - start + 1;
  const size = states.length * width;
  if (size > MAX_SEEN) return false;
  const seen = size > SEEN.length
    ? new Uint8Array(size)
    : SEEN.fill(0, 0, size);
  // What is left to try, the best last: a state, or below zero a mark to reset.
  const stack = [0, start];
  while (stack.length > 0) {
    let at = stack.pop()!;
    let id = stack.pop()!;
    if (id < 0) {
      marks[~id] = at;
      continue;
    }
    for (;;) {
      const index = id * width + at - start;
      if (seen[index] === 1) break;
      seen[index] = 1;
      const state = states[id]!;
      const { kind } = state;
      if (kind === SET) {
        if (at === end || state.set[text.charCodeAt(at)] !== 1) break;
        at++;
      } else if (kind === SPLIT) stack.push(state.other, at);
      else if (kind === TEXT) {
        const behind = at + state.text.length;
        if (behind > end || !text.startsWith(state.text, at)) break;
        at = behind;
      } else if (kind === MARK) {
        const mark = offset + state.mark;
        stack.push(~mark, marks[mark]!);
        marks[mark] = at;
      } else if (kind === NOT_EMPTY) {
        if (marks[offset + state.mark] === at) break;
      } else if (kind === BOUNDARY) {
        const isAt = isWord(text, at - 1) !== isWord(text, at);
        if (isAt !== (state.text === "\\b")) break;
      } else if (at === end) return true;
      else break;
      id = state.next;
    }
  }
  return false;
}

function isWord(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}
