// The kinds of states: each checks the text at a position, then goes on.
/** Matches the `text` of the state. */
export const TEXT = 0;
/** Matches one character of a set. */
export const SET = 1;
/** Tries the next state, then the other one. */
export const SPLIT = 2;
/** Notes the position in a mark. */
export const MARK = 3;
/** Fails unless the position is behind that of a mark. */
export const NOT_EMPTY = 4;
/** Matches a word boundary, or where there is none. */
export const BOUNDARY = 5;
/** Matches the end of the text. */
const END = 6;

/** A step of a program. */
export interface State {
  /** What the state does. */
  readonly kind: number;
  /** The next state, if this one matches. */
  next: number;
  /** The state to try if the next one leads nowhere. */
  other: number;
  /** The text that the state matches. */
  readonly text: string;
  /** A one for each character of ASCII that the state matches. */
  readonly set: Uint8Array;
  /** The mark that the state sets or reads. */
  readonly mark: number;
}

/** Adds the states that lead to a state, and returns the first of them. */
export type Emit = (next: number) => number;

const NO_SET = /* @__PURE__ */ new Uint8Array(0);

// One program is made at a time.
let states: State[] = [];
let folded = false;
let limit = Infinity;

/**
 * Makes a program, which begins with its first state.
 *
 * @param isFolded `true` if it reads lower-case text.
 * @param most The most states that it may have.
 * @throws {TypeError} If it has more states; the message is the reason.
 */
export function statesOf(
  emit: Emit,
  isFolded: boolean,
  most = Infinity,
): readonly State[] {
  states = [];
  folded = isFolded;
  limit = most;
  const begin = add(SPLIT, 0);
  const first = emit(add(END, 0));
  states[begin]!.next = states[begin]!.other = first;
  return states;
}

/** Adds a state and returns its index. */
export function add(
  kind: number,
  next: number,
  more?: Partial<State>,
): number {
  if (states.length > limit) {
    throw new TypeError("a regexp group repeats too many characters");
  }
  const state = { kind, next, other: 0, text: "", set: NO_SET, mark: 0 };
  return states.push({ ...state, ...more }) - 1;
}

/** One character of a set, such as `[a-z]`. */
export function setOf(source: string): Emit {
  return (next) => {
    const set = new Uint8Array(128);
    for (const member of membersOf(source, folded ? "iu" : "u")) {
      set[member.charCodeAt(0)] = 1;
    }
    return add(SET, next, { set });
  };
}

/** All characters of ASCII, once they were asked for. */
let ascii = "";

/** The members of a set in ASCII: no URL has other characters. */
export function membersOf(source: string, flags: string): string {
  ascii ||= String.fromCharCode(...Array(128).keys());
  return (ascii.match(new RegExp(source, `g${flags}`)) ?? []).join("");
}

/** One of several, the first that leads to a match. */
export function choice(emits: readonly Emit[]): Emit {
  return (next) =>
    emits.map((emit) => emit(next))
      .reduceRight((other, next) => add(SPLIT, next, { other }));
}

/** The same several times, as often as possible unless it is lazy. */
export function repeat(
  emit: Emit,
  min: number,
  max: number,
  isLazy = false,
): Emit {
  return (next) => {
    const split = (body: number) =>
      isLazy
        ? add(SPLIT, next, { other: body })
        : add(SPLIT, body, { other: next });
    let first = next;
    if (max === Infinity) {
      first = split(0);
      states[first]![isLazy ? "other" : "next"] = emit(first);
    } else for (let i = min; i < max; i++) first = split(emit(first));
    for (let i = 0; i < min; i++) first = emit(first);
    return first;
  };
}

/** One behind the other. */
export function sequence(emits: readonly Emit[]): Emit {
  return (next) => emits.reduceRight((next, emit) => emit(next), next);
}
