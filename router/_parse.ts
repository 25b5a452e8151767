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

/**
 * Parses the pattern of one component into parts, as URLPattern does. Whether
 * a regexp group is valid is not looked at.
 *
 * @param delimiter What separates segments, or "".
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(pattern: string, delimiter: string): Part[] {
  let count = 0;
  let number = 0;
  /** Fixed text that is not a part yet. */
  let pending = "";
  for (let at = 0; at < pattern.length;) {
    const piece = readPiece(pattern, at, delimiter);
    const { isGroup, prefix, source, modifier } = piece;
    at = piece.end;
    pending += piece.before;
    if (!isGroup && modifier === "") {
      pending += prefix;
      continue;
    }
    if (pending !== "") found[count++] = textPart(fixed(pending, delimiter));
    pending = "";
    if (isGroup) {
      const type = typeOf(source, delimiter);
      found[count++] = {
        type,
        name: piece.name || String(number++),
        prefix: fixed(prefix, delimiter),
        source: type === "regexp" ? source! : "",
        suffix: fixed(piece.suffix, delimiter),
        modifier,
      };
    } else if (prefix !== "") {
      found[count++] = textPart(fixed(prefix, delimiter), modifier);
    }
  }
  if (pending !== "") found[count++] = textPart(fixed(pending, delimiter));
  return found.slice(0, count);
}

/** The parts so far: an application has many patterns, and this is one list. */
const found: Part[] = [];

/** Fixed text, a group, or both in braces; and what is in front of that. */
interface Piece {
  readonly isGroup: boolean;
  /** The fixed text that does not belong to the group. */
  readonly before: string;
  readonly prefix: string;
  readonly name: string;
  /** The source of a regexp group or of `*`. */
  readonly source: string | undefined;
  readonly suffix: string;
  readonly modifier: Modifier;
  /** Where the piece ends. */
  readonly end: number;
}

/** Reads the piece that begins at a position. */
function readPiece(pattern: string, start: number, delimiter: string): Piece {
  let at = start;
  const isBraced = pattern[at] === "{";
  if (isBraced) at++;
  let text = read(TEXT, pattern, at);
  at += text.length;
  const slash = pattern[at] === "/" ? "/" : "";
  at += slash.length;
  const name = pattern[at] === ":" ? read(NAME, pattern, at + 1) : "";
  if (name !== "") at += name.length + 1;
  let source: string | undefined;
  if (name === "" && pattern[at] === "*") {
    source = ".*";
    at++;
  } else if (pattern[at] === "(") {
    const end = endOfRegExp(pattern, at);
    source = pattern.slice(at + 1, end);
    // Not every runtime's platform refuses it.
    if (source === "") throw new TypeError("a regexp group is empty");
    at = end + 1;
  }
  if (at === start) {
    throw new TypeError(`there is a ${pattern[at]} where none can be`);
  }
  const suffix = isBraced ? read(TEXT, pattern, at) : "";
  at += suffix.length;
  if (isBraced && pattern[at++] !== "}") {
    throw new TypeError("a { has no } or has two groups before it");
  }
  const isGroup = name !== "" || source !== undefined;
  const hasModifier = (isGroup || isBraced) && "?*+".includes(pattern[at]!);
  const modifier = hasModifier ? pattern[at++] as Modifier : "";
  // Outside of braces a slash belongs to the group behind it.
  const isOwn = !isBraced && isGroup && delimiter === "/";
  if (!isOwn) text += slash;
  const before = isBraced ? "" : text;
  const prefix = isBraced ? text : isOwn ? slash : "";
  return { isGroup, before, prefix, name, source, suffix, modifier, end: at };
}

/** Plain and escaped characters, up to the slash that may belong to a group. */
const TEXT = /(?:[^\\:({*}+?/]+|\\.|\/(?![:*(]))*/sy;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

/** What an expression matches at a position, or "". */
function read(token: RegExp, pattern: string, at: number): string {
  token.lastIndex = at;
  return token.test(pattern) ? pattern.slice(at, token.lastIndex) : "";
}

/** Where the closing parenthesis is of a regexp group. */
function endOfRegExp(pattern: string, start: number): number {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at;
  }
  throw new TypeError("a regexp group has no closing parenthesis");
}

function typeOf(source: string | undefined, delimiter: string): Part["type"] {
  return source === undefined ||
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
  return { type: "text", name: "", prefix, source: "", suffix: "", modifier };
}
