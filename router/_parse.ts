/** How often a part occurs: once, at most once, any number of times, or more. */
export type Modifier = "" | "?" | "*" | "+";

/** A part of a pattern. */
export interface Part {
  /** What the part is; a segment is what `:name` alone matches. */
  readonly type: "text" | "segment" | "wildcard" | "regexp";
  /** The name of the group, a number where it has none; "" for text. */
  readonly name: string;
  /** The text before the group, in canonical form; for text, the text. */
  readonly prefix: string;
  /** The source of the regexp group; "" for others. */
  readonly source: string;
  /** The text behind the group, in canonical form. */
  readonly suffix: string;
  /** How often the part occurs. */
  readonly modifier: Modifier;
}

/** What differs from one component of a URL to the other. */
export interface Syntax {
  /** What separates segments, or "". */
  readonly delimiter: string;
  /** The character that belongs to the group behind it, or "". */
  readonly prefix: string;
  /** Brings fixed text into the form that it has in a parsed URL. */
  readonly canonicalize: (text: string) => string;
}

/**
 * Parses the pattern of one component into parts, as URLPattern does. Whether
 * a regexp group is valid is not looked at.
 *
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(pattern: string, given: Syntax): Part[] {
  source = pattern;
  syntax = given;
  parts.length = at = number = 0;
  escaped = -1;
  pending = "";
  while (at < source.length) {
    pending += readText();
    const { prefix } = syntax;
    const owned = prefix !== "" && source[at - 1] === prefix && escaped !== at;
    const name = readName();
    const regexp = readRegExp(name);
    if (name !== null || regexp !== null) {
      if (owned) pending = pending.slice(0, -1);
      flush();
      addGroup(owned ? prefix : "", name, regexp, "");
    } else if (skip("{")) {
      readBraces();
    } else if (at < source.length) {
      throw new TypeError(`there is a ${source[at]} where none can be`);
    }
  }
  flush();
  return parts.slice();
}

const PLAIN = /[^\\:({*}+?]*/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

// Where parsing is, which is never at two patterns at once: an application has
// many, and this allocates the parts alone.
let source = "";
let syntax: Syntax;
let at = 0;
/** Where the last escape ended. */
let escaped = -1;
/** Fixed text that is not a part yet. */
let pending = "";
let number = 0;
const parts: Part[] = [];

function readBraces(): void {
  const prefix = readText();
  const name = readName();
  const regexp = readRegExp(name);
  const suffix = readText();
  if (!skip("}")) {
    throw new TypeError("a { has no } or has two groups before it");
  }
  if (name !== null || regexp !== null) {
    flush();
    addGroup(prefix, name, regexp, suffix);
    return;
  }
  const modifier = readModifier();
  if (modifier === "") {
    pending += prefix;
  } else {
    flush();
    if (prefix !== "") addText(prefix, modifier);
  }
}

function skip(text: string): boolean {
  const found = source[at] === text;
  if (found) at++;
  return found;
}

/** Plain and escaped characters. */
function readText(): string {
  let text = "";
  do {
    PLAIN.lastIndex = at;
    PLAIN.test(source);
    text += source.slice(at, PLAIN.lastIndex);
    at = PLAIN.lastIndex;
    if (source[at] !== "\\") return text;
    const code = source.codePointAt(at + 1);
    if (code === undefined) throw new TypeError("it ends in a \\");
    const char = String.fromCodePoint(code);
    text += char;
    escaped = at += 1 + char.length;
  } while (true);
}

function readName(): string | null {
  if (!skip(":")) return null;
  const start = NAME.lastIndex = at;
  if (!NAME.test(source)) throw new TypeError("a : has no name behind it");
  at = NAME.lastIndex;
  return source.slice(start, at);
}

/** The source of a regexp group; an asterisk is one if no name is before it. */
function readRegExp(name: string | null): string | null {
  if (name === null && skip("*")) return ".*";
  if (!skip("(")) return null;
  const start = at;
  for (let depth = 1; depth > 0; at++) {
    const char = source[at];
    if (char === undefined) {
      throw new TypeError("a regexp group has no closing parenthesis");
    }
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
  }
  const regexp = source.slice(start, at - 1);
  if (regexp === "") throw new TypeError("a regexp group is empty");
  return regexp;
}

function readModifier(): Modifier {
  const sign = source[at];
  if (sign !== "?" && sign !== "*" && sign !== "+") return "";
  at++;
  return sign;
}

function flush(): void {
  if (pending !== "") addText(pending, "");
  pending = "";
}

function addText(text: string, modifier: Modifier): void {
  parts.push(textPart(syntax.canonicalize(text), modifier));
}

function addGroup(
  before: string,
  given: string | null,
  regexp: string | null,
  behind: string,
): void {
  const { canonicalize, delimiter } = syntax;
  const name = given ?? String(number++);
  checkName(name);
  const type =
    regexp === null || regexp.replace("\\", "") === `[^${delimiter}]+?`
      ? "segment"
      : regexp === ".*"
      ? "wildcard"
      : "regexp";
  parts.push({
    type,
    name,
    prefix: canonicalize(before),
    source: type === "regexp" ? regexp! : "",
    suffix: canonicalize(behind),
    modifier: readModifier(),
  });
}

function checkName(name: string): void {
  if (name === "__proto__") {
    throw new TypeError("__proto__ can't be the name of a param");
  }
  for (const part of parts) {
    if (part.name === name) {
      throw new TypeError(`the param "${name}" occurs twice`);
    }
  }
}

/** A part that is fixed text. */
export function textPart(prefix: string, modifier: Modifier = ""): Part {
  return { type: "text", name: "", prefix, source: "", suffix: "", modifier };
}
