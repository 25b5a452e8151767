import { parseRegExp, type RegExpGroup } from "./_regexp.ts";

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
  /** The regexp group; `null` for others. */
  readonly regexp: RegExpGroup | null;
  /** The text behind the group, in canonical form. */
  readonly suffix: string;
  /** How often the part occurs. */
  readonly modifier: Modifier;
}

/**
 * Parses the pattern of one component into parts, as URLPattern does.
 *
 * @param delimiter What separates segments, or "".
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(source: string, delimiter: string): Part[] {
  pattern = source;
  at = count = 0;
  let number = 0;
  /** Fixed text that is not a part yet. */
  let pending = "";
  while (at < pattern.length) {
    const start = at;
    const isBraced = take("{") !== "";
    const text = read(TEXT);
    const slash = take("/");
    const name = read(NAME).slice(1);
    const value = readValue(name);
    if (at === start) {
      throw new TypeError(`there is a ${pattern[at]} where none can be`);
    }
    const suffix = isBraced ? read(TEXT) : "";
    if (isBraced && take("}") === "") {
      throw new TypeError("a { has no } or has two groups before it");
    }
    const isGroup = name + value !== "";
    const modifier = isGroup || isBraced
      ? take("?") || take("*") || take("+")
      : "";
    // Outside of braces a slash belongs to the group behind it.
    const isOwn = isGroup && delimiter === "/";
    const prefix = isBraced ? text + slash : isOwn ? slash : "";
    if (!isBraced) pending += isOwn ? text : text + slash;
    if (!isGroup && modifier === "") {
      pending += prefix;
      continue;
    }
    addText(pending, delimiter);
    pending = "";
    if (!isGroup) {
      addText(prefix, delimiter, modifier);
      continue;
    }
    const type = typeOf(value, delimiter);
    found[count++] = {
      type,
      name: name || String(number++),
      prefix: fixed(prefix, delimiter),
      regexp: type === "regexp" ? parseRegExp(value) : null,
      suffix: fixed(suffix, delimiter),
      modifier,
    };
  }
  addText(pending, delimiter);
  return found.slice(0, count);
}

// One pattern is parsed at a time: an application has many of them, and this
// leaves no garbage.
/** The pattern, and how far it was read. */
let pattern = "";
let at = 0;
/** The parts so far, and how many there are. */
const found: Part[] = [];
let count = 0;

/** Plain and escaped characters, up to the slash that may belong to a group. */
const TEXT = /(?:[^\\:({*}+?/]+|\\.|\/(?![:*(]))*/sy;
const NAME = /:[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

/** Adds a part that is fixed text, where there is any. */
function addText(text: string, delimiter: string, modifier?: Modifier): void {
  if (text !== "") found[count++] = textPart(fixed(text, delimiter), modifier);
}

/** Reads what an expression matches, or "". */
function read(token: RegExp): string {
  const start = token.lastIndex = at;
  if (token.test(pattern)) at = token.lastIndex;
  return pattern.slice(start, at);
}

/** Reads a character, or "" where there is another. */
function take<Char extends string>(char: Char): Char | "" {
  if (pattern[at] !== char) return "";
  at++;
  return char;
}

/** Reads the source of a regexp group or of `*`, or "". */
function readValue(name: string): string {
  if (name === "" && take("*") !== "") return ".*";
  if (take("(") === "") return "";
  const start = at;
  for (let depth = 1; depth > 0; at++) {
    if (at >= pattern.length) {
      throw new TypeError("a regexp group has no closing parenthesis");
    }
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
  }
  const source = pattern.slice(start, at - 1);
  // Not every runtime's platform refuses it.
  if (source === "") throw new TypeError("a regexp group is empty");
  return source;
}

function typeOf(source: string, delimiter: string): Part["type"] {
  return source === "" ||
      source.replace("\\", "") === `[^${delimiter}]+?`
    ? "segment"
    : source === ".*"
    ? "wildcard"
    : "regexp";
}

/** What text has that is not in canonical form in every path. */
const ODD = /[^\w\-.~!$&'()*+,;=:@/]|\/\./;

/**
 * Brings fixed text into the form that it has in a parsed URL. Text of a path
 * without a leading slash is the middle of a segment: no dot segment there.
 *
 * @see {@link https://urlpattern.spec.whatwg.org/#canon-encoding-callbacks | URL Pattern, 3.1 Encoding callbacks}
 */
function fixed(escaped: string, delimiter: string): string {
  // Nearly all groups have one of these before them, and nothing behind.
  if (escaped === "" || escaped === "/") return escaped;
  if (!ODD.test(escaped)) return escaped;
  const text = escaped.replace(/\\(.)/gsu, "$1");
  if (delimiter !== "/") return text;
  const start = text.startsWith("/") ? "" : "/-";
  const url = new URL("http://localhost/");
  url.pathname = start + text;
  const { pathname } = url;
  if (pathname.startsWith(start)) return pathname.slice(start.length);
  // Where dot segments reach beyond the text, the runtimes differ.
  const pattern = text.replace(/[\\*+?(){}:]/g, "\\$&");
  return new URLPattern({ pathname: pattern }).pathname.replace(/\\(.)/g, "$1");
}

/** A part that is fixed text. */
export function textPart(prefix: string, modifier: Modifier = ""): Part {
  return { type: "text", name: "", prefix, regexp: null, suffix: "", modifier };
}
