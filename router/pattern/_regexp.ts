import {
  add,
  BOUNDARY,
  choice,
  type Emit,
  membersOf,
  repeat,
  sequence,
  setOf,
  statesOf,
} from "./states.ts";

/** A parsed regexp group. */
export interface RegExpGroup {
  /** The text of the group, in the form that all runtimes accept. */
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

/** The most states of a group. */
const MAX_STATES = 2_000;

// One group is parsed at a time.
let tokens: readonly string[] = [];
let at = 0;
let hasSlash = false;

/**
 * Parses a regexp group. Accepts only what all runtimes accept with the same
 * meaning: Deno refuses lookarounds; Bun and workerd compile groups with the
 * flag `v`, and refuse some characters in classes unless they are escaped.
 *
 * @throws {TypeError} If the group is not valid; the message is the reason.
 */
export function parseRegExp(text: string): RegExpGroup {
  tokens = (text.match(TOKEN) ?? []).map(portable);
  const source = tokens.join("");
  at = 0;
  hasSlash = false;
  const emit = parseChoice();
  if (at < tokens.length) fail("it has a ) too many");
  // Throws if the group repeats too much.
  statesOf(emit, false, MAX_STATES);
  return { source, emit, hasSlash };
}

function fail(reason: string): never {
  throw new TypeError(`a regexp group is not valid: ${reason}`);
}

/** Parses alternatives, up to a closing parenthesis or the end. */
function parseChoice(): Emit {
  const emits = [parseSequence()];
  while (tokens[at] === "|") {
    at++;
    emits.push(parseSequence());
  }
  return choice(emits);
}

function parseSequence(): Emit {
  const emits: Emit[] = [];
  let canRepeat = false;
  for (; at < tokens.length && !/^[|)]$/.test(tokens[at]!); at++) {
    const token = tokens[at]!;
    const quantifier = QUANTIFIER.exec(token);
    if (quantifier !== null) {
      if (!canRepeat) fail(`there is nothing that ${token} can repeat`);
      canRepeat = false;
      emits.push(repeated(emits.pop()!, quantifier));
      continue;
    }
    canRepeat = !/^\\b$/i.test(token);
    if (token === "(?:") {
      at++;
      emits.push(parseChoice());
      if (tokens[at] !== ")") fail("a ( has no )");
    } else emits.push(canRepeat ? parseSet(token) : boundary(token));
  }
  return sequence(emits);
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
  return (next) => add(BOUNDARY, next, { text });
}

function parseSet(source: string): Emit {
  if (source === "(") {
    fail("it can have no groups but (?:…), and no lookaround");
  }
  if (source === "^" || source === "$") {
    fail(`without ${source} it means the same, as groups match as a whole`);
  }
  const members = portableMembers(source);
  if (members === null) {
    fail(
      `not all runtimes accept ${source} with the same meaning; in a class, escape special characters`,
    );
  }
  hasSlash ||= members.includes("/");
  return setOf(source);
}

/** The members of a set, or `null` if the runtimes disagree on them. */
function portableMembers(source: string): string | null {
  if (/^\[\^?\]|^\\[\dck]|[^ -~]/.test(source)) return null;
  try {
    // Deno compiles groups with the one flag, Bun and workerd with the other.
    const members = membersOf(source, "u");
    return membersOf(source, "v") === members ? members : null;
  } catch {
    return null;
  }
}

/** The same pattern with regexp groups that all runtimes accept. */
export function portablePattern(text: string): string {
  let depth = 0;
  return text.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[()]/gs, (token) => {
    if (token === "(") depth++;
    if (token === ")") depth--;
    return depth > 0 ? portable(token) : token;
  });
}

/** Escapes what Bun and workerd want escaped in a class, and Deno does not. */
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
