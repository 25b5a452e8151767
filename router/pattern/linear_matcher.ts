import { HTTPError } from "../errors/http_error.ts";
import type { Part } from "./parse.ts";
import { isOptional, isRepeated } from "./segments.ts";
import {
  type Emit,
  END,
  MARK,
  NOT_EMPTY,
  Program,
  repeat,
  sequence,
  SET,
  setOf,
  SPLIT,
  type State,
  TEXT,
} from "./states.ts";

/**
 * Matches a part of a path as a whole, and notes the start and the end of each
 * group, -1 for groups that are absent.
 *
 * @param offset The index of its first mark.
 * @returns The index after its last mark, or -1 if the path does not match.
 */
export type GroupMatcher = (
  path: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
) => number;

/**
 * The maximum number of states and positions of a run whose memory is kept, in
 * bytes.
 */
const MAX_KEPT = 4096;

/**
 * The maximum number of states and positions of a run. A longer input ends the
 * request.
 */
const MAX_VISITED = 2 ** 22;

/**
 * Creates a matcher that takes linear time, regexp groups included. It tries
 * the same paths as the regular expression of URLPattern, in the same order,
 * but no state twice at the same position. This gives the groups the same
 * values.
 *
 * @param delimiter The character that ends a segment, or "".
 * @param folded `true` if its input is in lower case.
 * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
 * @see {@link https://swtch.com/~rsc/regexp/regexp2.html | Russ Cox, backtracking with a memory}
 */
export function compileParts(
  parts: readonly Part[],
  delimiter: string,
  folded: boolean,
): GroupMatcher {
  // The first run creates both, because most routes are not matched at once.
  let states: readonly State[] | null = null;
  let kept = new Uint8Array(0);
  const length = parts.filter(({ type }) => type !== "text").length * 2;
  return (path, start, end, marks, offset) => {
    states ??= new Program(emitParts(parts, delimiter), folded).states;
    const size = states.length * (end - start + 1);
    // The result is not -1, because a route after this one may have fewer
    // guards.
    if (size > MAX_VISITED) {
      throw new HTTPError(414, "Cannot match URL: it is too long");
    }
    let visited = kept;
    if (size > kept.length) {
      visited = new Uint8Array(size);
      if (size <= MAX_KEPT) kept = visited;
    } else visited.fill(0, 0, size);
    const behind = offset + length;
    for (let i = offset; i < behind; i++) marks[i] = -1;
    return run(states, visited, path, start, end, marks, offset) ? behind : -1;
  };
}

function run(
  states: readonly State[],
  visited: Uint8Array,
  path: string,
  start: number,
  end: number,
  marks: number[],
  offset: number,
): boolean {
  const width = end - start + 1;
  // The stack contains the alternatives, the best one last. Each is a state or,
  // below zero, a mark to reset.
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
      if (visited[index] === 1) break;
      visited[index] = 1;
      const state = states[id]!;
      const mark = offset + state.mark;
      if (state.kind === END && at === end) return true;
      if (state.kind === SPLIT) stack.push(state.other, at);
      else if (state.kind === MARK) {
        stack.push(~mark, marks[mark]!);
        marks[mark] = at;
      } else {
        at = matchState(state, path, at, end, marks[mark]!);
        if (at < 0) break;
      }
      id = state.next;
    }
  }
  return false;
}

/**
 * Returns the position after the input of a state, or -1 without a match.
 *
 * @param begin The position of its mark, if it has one.
 */
function matchState(
  { kind, set, text }: State,
  path: string,
  at: number,
  end: number,
  begin: number,
): number {
  if (kind === END) return -1;
  if (kind === NOT_EMPTY) return at === begin ? -1 : at;
  if (kind === SET) {
    return at < end && set[path.charCodeAt(at)] === 1 ? at + 1 : -1;
  }
  if (kind === TEXT) {
    const behind = at + text.length;
    return behind <= end && path.startsWith(text, at) ? behind : -1;
  }
  const isBoundary = isWord(path, at - 1) !== isWord(path, at);
  return isBoundary === (text === "\\b") ? at : -1;
}

function isWord(path: string, at: number): boolean {
  return /\w/.test(path.charAt(at));
}

function emitParts(parts: readonly Part[], delimiter: string): Emit {
  let count = 0;
  return sequence(parts.map((part) => {
    const mark = count;
    if (part.type !== "text") count += 2;
    return emitPart(part, mark, delimiter);
  }));
}

function emitPart(part: Part, mark: number, delimiter: string): Emit {
  const { type, prefix, suffix, modifier } = part;
  const min = isOptional(part) ? 0 : 1;
  const max = isRepeated(part) ? Infinity : 1;
  if (type === "text") return repeat(emitLiteral(prefix), min, max);
  const value = emitValue(part, delimiter);
  const isBare = prefix + suffix === "";
  // A group that repeats has one value, which spans all of its repetitions.
  const more = sequence([emitLiteral(suffix + prefix), value]);
  const values = max === 1
    ? value
    : isBare
    ? repeat(value, min, max)
    : sequence([value, repeat(more, 0, max)]);
  const group = sequence([
    emitLiteral(prefix),
    (program, next) => program.add(MARK, next, { mark }),
    values,
    // An optional group that would be empty counts as absent.
    (program, next) =>
      isBare && modifier === "?"
        ? program.add(NOT_EMPTY, next, { mark })
        : next,
    (program, next) => program.add(MARK, next, { mark: mark + 1 }),
    emitLiteral(suffix),
  ]);
  return isBare && max > 1 ? group : repeat(group, min, 1);
}

function emitValue({ type, regexp }: Part, delimiter: string): Emit {
  if (regexp !== null) return regexp.emit;
  if (type === "wildcard") return repeat(setOf("[^]"), 0, Infinity);
  const character = setOf(`[^${delimiter && `\\${delimiter}`}]`);
  return repeat(character, 1, Infinity, true);
}

function emitLiteral(text: string): Emit {
  return (program, next) =>
    text === "" ? next : program.add(TEXT, next, { text });
}
