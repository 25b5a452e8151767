import { parseRegExp, type RegExpGroup } from "./_regexp.ts";

/** A part occurs once, at most once, any number of times, or at least once. */
export type Modifier = "" | "?" | "*" | "+";

/** A part of a pattern. */
export interface Part {
  /** The kind of the part. `text` is a literal, `segment` is `:name` only. */
  readonly type: "text" | "segment" | "wildcard" | "regexp";
  /** The name of the group, a number if it has none; "" for a literal. */
  readonly name: string;
  /** The literal before the group, in canonical form, or the literal itself. */
  readonly prefix: string;
  /** The regexp group; `null` for others. */
  readonly regexp: RegExpGroup | null;
  /** The literal after the group, in canonical form. */
  readonly suffix: string;
  /** The number of times that the part occurs. */
  readonly modifier: Modifier;
}

/** Plain and escaped characters, up to the slash that may belong to a group. */
const TEXT = /(?:[^\\:({*}+?/]+|\\.|\/(?![:*(]))*/sy;
const NAME = /:[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

/**
 * Parses the pattern of one component into parts, as URLPattern does.
 *
 * @param delimiter The separator of segments, or "".
 * @throws {TypeError} If the pattern is invalid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(source: string, delimiter: string): Part[] {
  return new Parser(source, delimiter).parse();
}

/** Reads the pattern of one component from left to right. */
class Parser {
  readonly #source: string;
  readonly #delimiter: string;
  readonly #parts: Part[] = [];
  #at = 0;
  /** The number of groups without a name. */
  #unnamed = 0;
  /** A literal that may continue. */
  #pending = "";

  constructor(source: string, delimiter: string) {
    this.#source = source;
    this.#delimiter = delimiter;
  }

  parse(): Part[] {
    while (this.#at < this.#source.length) this.#parsePart();
    this.#addText(this.#pending);
    return this.#parts;
  }

  #parsePart(): void {
    const start = this.#at;
    const isBraced = this.#accept("{") !== "";
    const text = this.#read(TEXT);
    const slash = this.#accept("/");
    const name = this.#read(NAME).slice(1);
    const value = this.#readValue(name);
    if (this.#at === start) {
      throw new TypeError(
        `there is a ${this.#source[start]} where none can be`,
      );
    }
    const suffix = isBraced ? this.#read(TEXT) : "";
    if (isBraced && this.#accept("}") === "") {
      throw new TypeError("a { has no } or has two groups before it");
    }
    const isGroup = name + value !== "";
    const modifier = isGroup || isBraced
      ? this.#accept("?") || this.#accept("*") || this.#accept("+")
      : "";
    // Outside of braces, a slash belongs to the group that follows it.
    const isOwn = isGroup && this.#delimiter === "/";
    const prefix = isBraced ? text + slash : isOwn ? slash : "";
    if (!isBraced) this.#pending += isOwn ? text : text + slash;
    if (!isGroup && modifier === "") {
      this.#pending += prefix;
      return;
    }
    this.#addText(this.#pending);
    this.#pending = "";
    if (isGroup) this.#addGroup(name, value, prefix, suffix, modifier);
    else this.#addText(prefix, modifier);
  }

  /** Reads a character, or "" if the next one is another. */
  #accept<Char extends string>(char: Char): Char | "" {
    if (this.#source[this.#at] !== char) return "";
    this.#at++;
    return char;
  }

  /** Reads the match of an expression, or "". */
  #read(token: RegExp): string {
    const start = token.lastIndex = this.#at;
    if (token.test(this.#source)) this.#at = token.lastIndex;
    return this.#source.slice(start, this.#at);
  }

  /** Reads the source of a regexp group or of `*`, or "". */
  #readValue(name: string): string {
    if (name === "" && this.#accept("*") !== "") return ".*";
    if (this.#accept("(") === "") return "";
    const start = this.#at;
    for (let depth = 1; depth > 0; this.#at++) {
      if (this.#at >= this.#source.length) {
        throw new TypeError("a regexp group has no closing parenthesis");
      }
      const char = this.#source[this.#at];
      if (char === "\\") this.#at++;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
    }
    const value = this.#source.slice(start, this.#at - 1);
    // Some platforms accept an empty group.
    if (value === "") throw new TypeError("a regexp group is empty");
    return value;
  }

  #addText(text: string, modifier?: Modifier): void {
    if (text === "") return;
    this.#parts.push(textPart(canonicalText(text, this.#delimiter), modifier));
  }

  #addGroup(
    name: string,
    value: string,
    prefix: string,
    suffix: string,
    modifier: Modifier,
  ): void {
    const type = typeOf(value, this.#delimiter);
    this.#parts.push({
      type,
      name: name || String(this.#unnamed++),
      prefix: canonicalText(prefix, this.#delimiter),
      regexp: type === "regexp" ? parseRegExp(value) : null,
      suffix: canonicalText(suffix, this.#delimiter),
      modifier,
    });
  }
}

function typeOf(source: string, delimiter: string): Part["type"] {
  return source === "" ||
      source.replace("\\", "") === `[^${delimiter}]+?`
    ? "segment"
    : source === ".*"
    ? "wildcard"
    : "regexp";
}

/** Characters that are not canonical in every path. */
const ODD = /[^\w\-.~!$&'()*+,;=:@/]|\/\./;

/**
 * Converts a literal to the form that it has in a parsed URL. A literal of a
 * path without a leading slash is the middle of a segment: no dot segment there.
 *
 * @see {@link https://urlpattern.spec.whatwg.org/#canon-encoding-callbacks | URL Pattern, 3.1 Encoding callbacks}
 */
function canonicalText(escaped: string, delimiter: string): string {
  // Nearly all groups have one of these before them, and nothing after them.
  if (escaped === "" || escaped === "/") return escaped;
  if (!ODD.test(escaped)) return escaped;
  const text = escaped.replace(/\\(.)/gsu, "$1");
  if (delimiter !== "/") return text;
  const start = text.startsWith("/") ? "" : "/-";
  const url = new URL("http://localhost/");
  url.pathname = start + text;
  const { pathname } = url;
  if (pathname.startsWith(start)) return pathname.slice(start.length);
  // The runtimes differ if dot segments reach beyond the literal.
  const pattern = text.replace(/[\\*+?(){}:]/g, "\\$&");
  return new URLPattern({ pathname: pattern }).pathname.replace(/\\(.)/g, "$1");
}

/** Creates a part that is a literal. */
export function textPart(prefix: string, modifier: Modifier = ""): Part {
  return { type: "text", name: "", prefix, regexp: null, suffix: "", modifier };
}
