import type { Part } from "./_parse.ts";
import {
  ANY,
  type CharacterSet,
  characterSet,
  parseSimpleRegExp,
  type SimpleRegExp,
} from "./_regexp.ts";

// The instructions. FORK tries its first target first, as the alternatives of
// a regular expression are tried from left to right.
const CHAR = 0;
const SET = 1;
const FORK = 2;
const MARK = 3;
const JUMP = 4;
const FILLED = 5;
const DONE = 6;

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
  readonly #sets: CharacterSet[] = [];
  readonly #folded: boolean;
  readonly #stack: number[] = [];

  /**
   * Compiles parts.
   *
   * @param parts The parts, none of which needs the platform.
   * @param delimiter What ends a segment, or "".
   * @param folded Whether the program reads lower-case text only.
   */
  constructor(parts: readonly Part[], delimiter: string, folded: boolean) {
    this.#folded = folded;
    const segment = characterSet((code) =>
      String.fromCharCode(code) !== delimiter
    );
    for (const part of parts) this.#part(part, segment);
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
    const seen = new Uint32Array((states >> 5) + 1);
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
          case SET:
            failed = at === end ||
              this.#sets[first]![text.charCodeAt(at)] !== 1;
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
          case JUMP:
            pc = first;
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

  #part(part: Part, segment: CharacterSet): void {
    const { type, prefix, suffix, modifier } = part;
    if (type === "text") {
      this.#repeat(() => this.#text(prefix), modifier);
      return;
    }
    const slot = this.names.push(part.name) * 2 - 2;
    const once = () => this.#value(part, segment);
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

  #value({ type, source }: Part, segment: CharacterSet): void {
    if (type === "segment") {
      const start = this.#code.length;
      this.#set(segment);
      this.#emit(FORK, this.#code.length + 3, start);
    } else if (type === "wildcard") {
      this.#repeat(() => this.#set(ANY), "*");
    } else {
      this.#regexp(parseSimpleRegExp(source)!);
    }
  }

  #regexp(regexp: SimpleRegExp): void {
    if (regexp.kind === "set") return this.#set(regexp.set);
    if (regexp.kind === "sequence") {
      return regexp.items.forEach((item) => this.#regexp(item));
    }
    if (regexp.kind === "choice") {
      const jumps = regexp.items.map((item) => {
        const fork = this.#emit(FORK);
        this.#regexp(item);
        const jump = this.#emit(JUMP);
        this.#aim(fork, fork + 3, this.#code.length);
        return jump;
      });
      // The last branch has no alternative: its fork leads nowhere.
      this.#emit(CHAR, -1);
      for (const jump of jumps) this.#aim(jump, this.#code.length);
      return;
    }
    const { item, min, max, lazy } = regexp;
    const content = () => this.#regexp(item);
    for (let i = 0; i < min; i++) content();
    if (max === Infinity) return this.#repeat(content, "*", lazy);
    for (let i = min; i < max; i++) this.#repeat(content, "?", lazy);
  }

  #repeat(content: () => void, modifier: Part["modifier"], lazy = false): void {
    if (modifier === "") return content();
    if (modifier === "+") {
      const start = this.#code.length;
      content();
      const next = this.#code.length + 3;
      this.#emit(FORK, lazy ? next : start, lazy ? start : next);
      return;
    }
    const fork = this.#emit(FORK);
    content();
    if (modifier === "*") this.#emit(JUMP, fork);
    const end = this.#code.length;
    this.#aim(fork, lazy ? end : fork + 3, lazy ? fork + 3 : end);
  }

  #text(text: string): void {
    const folded = this.#folded ? text.toLowerCase() : text;
    for (let i = 0; i < folded.length; i++) {
      this.#emit(CHAR, folded.charCodeAt(i));
    }
  }

  #set(set: CharacterSet): void {
    this.#emit(SET, this.#sets.push(this.#folded ? fold(set) : set) - 1);
  }

  #emit(operation: number, first = 0, second = 0): number {
    return this.#code.push(operation, first, second) - 3;
  }

  #aim(at: number, first: number, second = 0): void {
    this.#code[at + 1] = first;
    this.#code[at + 2] = second;
  }
}

/** A set that accepts a lower-case letter where the other case was meant too. */
function fold(set: CharacterSet): CharacterSet {
  return characterSet((code) =>
    set[code] === 1 ||
    set[String.fromCharCode(code).toUpperCase().charCodeAt(0)] === 1
  );
}
