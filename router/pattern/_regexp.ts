import {
  BOUNDARY,
  choice,
  type Emit,
  membersOf,
  Program,
  repeat,
  sequence,
  setOf,
} from "./states.ts";

/** A parsed regexp group. */
export interface RegExpGroup {
  /** The source of the group, in the form that all runtimes accept. */
  readonly source: string;
  /** Adds the states of the group. */
  readonly emit: Emit;
  /** `true` if the value of the group can contain a slash. */
  readonly hasSlash: boolean;
}

const TOKEN =
  /\\(?:p\{[\w=]+\}|u\{\w+\}|u\w{4}|x\w\w|.)|\[(?:\\.|[^\]\\])*\]|\(\?:|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gi;
/** A character of a class, or a range. */
const CLASS_ITEM = /(\\p\{[\w=]+\}|\\?.)(?:-(\\?.))?/gi;
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)$/;

/** The maximum number of states in a group. */
const MAX_STATES = 2_000;

/**
 * Parses a regexp group. Accepts only expressions that mean the same on all
 * runtimes: Deno refuses lookarounds; Bun and workerd compile groups with the
 * flag `v`, and refuse some characters in classes unless they are escaped.
 *
 * @throws {TypeError} If the group is invalid; the message is the reason.
 */
export function parseRegExp(text: string): RegExpGroup {
  const parser = new GroupParser(text);
  const emit = parser.parse();
  // This throws if the group repeats too much.
  new Program(emit, false, MAX_STATES);
  return { source: parser.tokens.join(""), emit, hasSlash: parser.hasSlash };
}

class GroupParser {
  readonly tokens: readonly string[];
  hasSlash = false;
  #at = 0;

  constructor(text: string) {
    this.tokens = (text.match(TOKEN) ?? []).map(portable);
  }

  parse(): Emit {
    const emit = this.#parseChoice();
    if (this.#at < this.tokens.length) fail("it has a ) too many");
    return emit;
  }

  /** Parses alternatives, up to a closing parenthesis or the end. */
  #parseChoice(): Emit {
    const emits = [this.#parseSequence()];
    while (this.tokens[this.#at] === "|") {
      this.#at++;
      emits.push(this.#parseSequence());
    }
    return choice(emits);
  }

  #parseSequence(): Emit {
    const emits: Emit[] = [];
    let canRepeat = false;
    for (; this.#at < this.tokens.length; this.#at++) {
      const token = this.tokens[this.#at]!;
      if (token === "|" || token === ")") break;
      const quantifier = QUANTIFIER.exec(token);
      if (quantifier === null) {
        canRepeat = !/^\\b$/i.test(token);
        emits.push(canRepeat ? this.#parseItem(token) : boundary(token));
        continue;
      }
      if (!canRepeat) fail(`there is nothing that ${token} can repeat`);
      canRepeat = false;
      emits.push(repeated(emits.pop()!, quantifier));
    }
    return sequence(emits);
  }

  /** Parses a group or a set of characters. */
  #parseItem(token: string): Emit {
    if (token === "(?:") {
      this.#at++;
      const emit = this.#parseChoice();
      if (this.tokens[this.#at] !== ")") fail("a ( has no )");
      return emit;
    }
    const members = membersOfSet(token);
    this.hasSlash ||= members.includes("/");
    return setOf(token);
  }
}

/** Returns the members of a set, unless the runtimes disagree on them. */
function membersOfSet(source: string): string {
  if (source === "(") {
    fail("it can have no groups but (?:…), and no lookaround");
  }
  if (source === "^" || source === "$") {
    fail(`without ${source} it means the same, as groups match as a whole`);
  }
  return portableMembers(source) ?? fail(
    `not all runtimes accept ${source} with the same meaning; in a class, escape special characters`,
  );
}

function fail(reason: string): never {
  throw new TypeError(`a regexp group is not valid: ${reason}`);
}

function repeated(
  emit: Emit,
  [text, sign, least, comma, most, lazy]: RegExpExecArray,
): Emit {
  const min = sign ? (sign === "+" ? 1 : 0) : Number(least);
  const max = sign
    ? sign === "?" ? 1 : Infinity
    : comma
    ? Number(most || Infinity)
    : min;
  if (min > max) fail(`${text} is out of order`);
  return repeat(emit, min, max, lazy !== "");
}

function boundary(text: string): Emit {
  return (program, next) => program.add(BOUNDARY, next, { text });
}

/** Returns the members of a set, or `null` if the runtimes disagree on them. */
function portableMembers(source: string): string | null {
  if (/^\[\^?\]|^\\[\dck]|[^ -~]/.test(source)) return null;
  try {
    // Deno compiles groups with the flag `u`, while Bun and workerd use `v`.
    const members = membersOf(source, "u");
    return membersOf(source, "v") === members ? members : null;
  } catch {
    return null;
  }
}

/** Returns a pattern with regexp groups that all runtimes accept. */
export function portablePattern(text: string): string {
  let depth = 0;
  return text.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[()]/gs, (token) => {
    if (token === "(") depth++;
    if (token === ")") depth--;
    return depth > 0 ? portable(token) : token;
  });
}

/** Escapes the characters of a class that Bun and workerd want escaped. */
function portable(token: string): string {
  const [, start, items, end] = /^(\[\^?)(.*)(\])$/.exec(token) ?? [];
  if (start === undefined) return token;
  return start + items!.replace(
    CLASS_ITEM,
    (_, from: string, to?: string) =>
      escapeItem(from) + (to ? `-${escapeItem(to)}` : ""),
  ) + end;
}

function escapeItem(item: string): string {
  return /^[-/(){}|]$/.test(item) ? `\\${item}` : item;
}
