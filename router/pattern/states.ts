// A state has one of these kinds. It checks the input at a position and
// continues with the next state.
/** Matches a literal. */
export const TEXT = 0;
/** Matches one character of a set. */
export const SET = 1;
/** Tries the next state, then the other one. */
export const SPLIT = 2;
/** Stores the position in a mark. */
export const MARK = 3;
/** Fails unless the position is after that of a mark. */
export const NOT_EMPTY = 4;
/** Matches a word boundary, or any other position. */
export const BOUNDARY = 5;
/** Matches the end of the input. */
export const END = 6;

/** A step of a program. */
export interface State {
  /** One of the kinds above. */
  readonly kind: number;
  /** The next state, if this one matches. */
  next: number;
  /** The state to try if the next one fails. */
  other: number;
  /** The literal that the state matches. */
  readonly text: string;
  /** A one for each character of ASCII that the state matches. */
  readonly set: Uint8Array;
  /** The mark that the state sets or reads. */
  readonly mark: number;
}

/** Adds the states that lead to a state, and returns the first of them. */
export type Emit = (program: Program, next: number) => number;

const NO_SET = /* @__PURE__ */ new Uint8Array(0);

/** States that match some input together. The first one is at index 0. */
export class Program {
  /** The states. */
  readonly states: State[] = [];
  /** `true` if the input is in lower case. */
  readonly folded: boolean;
  readonly #maxStates: number;

  /**
   * Creates a program.
   *
   * @throws {TypeError} If it has too many states; the message is the reason.
   */
  constructor(emit: Emit, folded: boolean, maxStates = Infinity) {
    this.folded = folded;
    this.#maxStates = maxStates;
    const begin = this.states[this.add(SPLIT, 0)]!;
    begin.next = begin.other = emit(this, this.add(END, 0));
  }

  /** Adds a state and returns its index. */
  add(kind: number, next: number, more?: Partial<State>): number {
    if (this.states.length > this.#maxStates) {
      throw new TypeError("a regexp group repeats too many characters");
    }
    const state = { kind, next, other: 0, text: "", set: NO_SET, mark: 0 };
    return this.states.push({ ...state, ...more }) - 1;
  }
}

/** Matches one character of a set, such as `[a-z]`. */
export function setOf(source: string): Emit {
  return (program, next) => {
    const set = new Uint8Array(128);
    for (const member of membersOf(source, program.folded ? "iu" : "u")) {
      set[member.charCodeAt(0)] = 1;
    }
    return program.add(SET, next, { set });
  };
}

const ASCII =
  /* @__PURE__ */ (() => String.fromCharCode(...Array(128).keys()))();

/** Returns the members of a set in ASCII. URLs have no other characters. */
export function membersOf(source: string, flags: string): string {
  return (ASCII.match(new RegExp(source, `g${flags}`)) ?? []).join("");
}

/** Matches the first alternative that leads to a match. */
export function choice(emits: readonly Emit[]): Emit {
  return (program, next) =>
    emits.map((emit) => emit(program, next))
      .reduceRight((other, next) => program.add(SPLIT, next, { other }));
}

/** Matches several times, as often as possible unless it is lazy. */
export function repeat(
  emit: Emit,
  min: number,
  max: number,
  isLazy = false,
): Emit {
  return (program, next) => {
    const split = (body: number) =>
      isLazy
        ? program.add(SPLIT, next, { other: body })
        : program.add(SPLIT, body, { other: next });
    let first = next;
    if (max === Infinity) {
      first = split(0);
      program.states[first]![isLazy ? "other" : "next"] = emit(program, first);
    } else for (let i = min; i < max; i++) first = split(emit(program, first));
    for (let i = 0; i < min; i++) first = emit(program, first);
    return first;
  };
}

/** Matches one after the other. */
export function sequence(emits: readonly Emit[]): Emit {
  return (program, next) =>
    emits.reduceRight((next, emit) => emit(program, next), next);
}
