import type { Part } from "./_parse.ts";

// The instructions. FORK tries its first target first, as the alternatives of
// a regular expression are tried from left to right.
const CHAR = 0;
/** Any character but one. */
const NOT = 1;
const FORK = 2;
const MARK = 3;
const FILLED = 4;
const DONE = 5;

/** What finds the groups in a segment, or in the rest of a path. */
export interface GroupMatcher {
  /** The names of the groups. */
  readonly names: readonly string[];
  /** Matches all of a part of a text and notes start and end of each group. */
  run(
    text: string,
    start: number,
    end: number,
    marks: number[],
    offset: number,
  ): boolean;
}

/** What short runs note, one after the other. */
const SEEN = /* @__PURE__ */ new Uint32Array(128);

/** What a run may note, 32 MB: no server accepts URLs as long as that. */
const MAX_STATES = 2 ** 28;

/**
 * The regular expression of a list of parts, as a program for a machine that
 * takes linear time: it never tries the same instruction at the same position
 * twice. Captures are those that the expression of URLPattern would have.
 */
export class Program implements GroupMatcher {
  /** The names of the groups, in the order of their marks. */
  readonly names: string[] = [];
  readonly #code: number[] = [];
  readonly #folded: boolean;
  readonly #stack: number[] = [];

  /**
   * Compiles parts.
   *
   * @param parts The parts, none of which is a regexp group.
   * @param delimiter What ends a segment, or "".
   * @param folded Whether the program reads lower-case text only.
   */
  constructor(parts: readonly Part[], delimiter: string, folded: boolean) {
    this.#folded = folded;
    // A character beyond all others is in no URL.
    const end = delimiter === "" ? 0xffff : delimiter.charCodeAt(0);
    for (const part of parts) this.#part(part, end);
    this.#emit(DONE);
  }

  /**
   * Runs the program on a part of a text, all of which it must match.
   *
   * @param marks Receives start and end of each group, -1 where it is absent.
   * @param offset Where in `marks` to begin.
   */
  run(
    text: string,
    start: number,
    end: number,
    marks: number[],
    offset: number,
  ): boolean {
    for (let i = 0; i < this.names.length * 2; i++) marks[offset + i] = -1;
    const code = this.#code;
    const width = end - start + 1;
    const states = code.length / 3 * width;
    if (states > MAX_STATES) return false;
    const words = (states >> 5) + 1;
    const seen = words > SEEN.length
      ? new Uint32Array(words)
      : SEEN.fill(0, 0, words);
    const stack = this.#stack;
    stack.length = 0;
    let pc = 0;
    let at = start;
    while (true) {
      const state = pc / 3 * width + at - start;
      const bit = 1 << (state & 31);
      let failed = (seen[state >> 5]! & bit) !== 0;
      if (!failed) {
        seen[state >> 5]! |= bit;
        const first = code[pc + 1]!;
        switch (code[pc]) {
          case CHAR:
            failed = at === end || text.charCodeAt(at) !== first;
            at++;
            pc += 3;
            break;
          case NOT:
            failed = at === end || text.charCodeAt(at) === first;
            at++;
            pc += 3;
            break;
          case FORK:
            stack.push(code[pc + 2]!, at);
            pc = first;
            break;
          case MARK:
            // What is on the stack puts the old mark back.
            stack.push(-1 - first, marks[offset + first]!);
            marks[offset + first] = at;
            pc += 3;
            break;
          case FILLED:
            failed = marks[offset + first] === at;
            pc += 3;
            break;
          default:
            if (at === end) return true;
            failed = true;
        }
      }
      while (failed) {
        if (stack.length === 0) return false;
        at = stack.pop()!;
        pc = stack.pop()!;
        if (pc >= 0) failed = false;
        else marks[offset - 1 - pc] = at;
      }
    }
  }

  #part(part: Part, delimiter: number): void {
    const { type, prefix, suffix, modifier } = part;
    if (type === "text") {
      this.#repeat(() => this.#text(prefix), modifier);
      return;
    }
    const slot = this.names.push(part.name) * 2 - 2;
    const once = () => this.#value(part, delimiter);
    const group = (content: () => void) => {
      this.#text(prefix);
      this.#emit(MARK, slot);
      content();
      this.#emit(MARK, slot + 1);
      this.#text(suffix);
      // An optional group that would be empty counts as absent.
      if (modifier === "?" && prefix === "") this.#emit(FILLED, slot);
    };
    if (modifier === "" || modifier === "?") {
      this.#repeat(() => group(once), modifier);
    } else if (prefix === "" && suffix === "") {
      group(() => this.#repeat(once, modifier));
    } else {
      const again = () => {
        this.#text(suffix + prefix);
        once();
      };
      const all = () => {
        once();
        this.#repeat(again, "*");
      };
      this.#repeat(() => group(all), modifier === "*" ? "?" : "");
    }
  }

  #value({ type }: Part, delimiter: number): void {
    if (type === "wildcard") {
      this.#repeat(() => this.#emit(NOT, 0xffff), "*");
      return;
    }
    const start = this.#emit(NOT, delimiter);
    this.#emit(FORK, this.#code.length + 3, start);
  }

  #repeat(content: () => void, modifier: Part["modifier"]): void {
    if (modifier === "") return content();
    const start = this.#code.length;
    if (modifier === "+") {
      content();
      this.#emit(FORK, start, this.#code.length + 3);
      return;
    }
    this.#emit(FORK, start + 3);
    content();
    if (modifier === "*") this.#emit(FORK, start, start);
    this.#code[start + 2] = this.#code.length;
  }

  #text(text: string): void {
    const folded = this.#folded ? text.toLowerCase() : text;
    for (let i = 0; i < folded.length; i++) {
      this.#emit(CHAR, folded.charCodeAt(i));
    }
  }

  #emit(operation: number, first = 0, second = 0): number {
    return this.#code.push(operation, first, second) - 3;
  }
}
