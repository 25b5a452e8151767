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
export function parsePattern(pattern: string, syntax: Syntax): Part[] {
  return new Parser(pattern, syntax).parse();
}

const PLAIN = /[^\\:({*}+?]*/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

class Parser {
  readonly #source: string;
  readonly #syntax: Syntax;
  readonly #parts: Part[] = [];
  #at = 0;
  /** Where the last escape ended. */
  #escaped = -1;
  /** Fixed text that is not a part yet. */
  #pending = "";
  #number = 0;

  constructor(source: string, syntax: Syntax) {
    this.#source = source;
    this.#syntax = syntax;
  }

  parse(): Part[] {
    const source = this.#source;
    while (this.#at < source.length) {
      this.#pending += this.#text();
      const { prefix } = this.#syntax;
      const owned = prefix !== "" && source[this.#at - 1] === prefix &&
        this.#escaped !== this.#at;
      const name = this.#name();
      const regexp = this.#regexp(name);
      if (name !== null || regexp !== null) {
        if (owned) this.#pending = this.#pending.slice(0, -1);
        this.#flush();
        this.#addGroup(owned ? prefix : "", name, regexp, "");
      } else if (this.#skip("{")) {
        this.#braces();
      } else if (this.#at < source.length) {
        throw new TypeError(`there is a ${source[this.#at]} where none can be`);
      }
    }
    this.#flush();
    return this.#parts;
  }

  #braces(): void {
    const prefix = this.#text();
    const name = this.#name();
    const regexp = this.#regexp(name);
    const suffix = this.#text();
    if (!this.#skip("}")) {
      throw new TypeError("a { has no } or has two groups before it");
    }
    if (name !== null || regexp !== null) {
      this.#flush();
      this.#addGroup(prefix, name, regexp, suffix);
      return;
    }
    const modifier = this.#modifier();
    if (modifier === "") {
      this.#pending += prefix;
    } else {
      this.#flush();
      if (prefix !== "") this.#addText(prefix, modifier);
    }
  }

  #skip(text: string): boolean {
    const found = this.#source[this.#at] === text;
    if (found) this.#at++;
    return found;
  }

  /** Plain and escaped characters. */
  #text(): string {
    const source = this.#source;
    let text = "";
    do {
      PLAIN.lastIndex = this.#at;
      PLAIN.test(source);
      text += source.slice(this.#at, PLAIN.lastIndex);
      this.#at = PLAIN.lastIndex;
      if (source[this.#at] !== "\\") return text;
      const code = source.codePointAt(this.#at + 1);
      if (code === undefined) throw new TypeError("it ends in a \\");
      const char = String.fromCodePoint(code);
      text += char;
      this.#escaped = this.#at += 1 + char.length;
    } while (true);
  }

  #name(): string | null {
    if (!this.#skip(":")) return null;
    const start = NAME.lastIndex = this.#at;
    if (!NAME.test(this.#source)) {
      throw new TypeError("a : has no name behind it");
    }
    this.#at = NAME.lastIndex;
    return this.#source.slice(start, this.#at);
  }

  /** The source of a regexp group; an asterisk is one if no name is before it. */
  #regexp(name: string | null): string | null {
    if (name === null && this.#skip("*")) return ".*";
    if (!this.#skip("(")) return null;
    const start = this.#at;
    for (let depth = 1; depth > 0; this.#at++) {
      const char = this.#source[this.#at];
      if (char === undefined) {
        throw new TypeError("a regexp group has no closing parenthesis");
      }
      if (char === "\\") this.#at++;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
    }
    const regexp = this.#source.slice(start, this.#at - 1);
    if (regexp === "") throw new TypeError("a regexp group is empty");
    return regexp;
  }

  #modifier(): Modifier {
    for (const sign of ["?", "*", "+"] as const) {
      if (this.#skip(sign)) return sign;
    }
    return "";
  }

  #flush(): void {
    if (this.#pending !== "") this.#addText(this.#pending, "");
    this.#pending = "";
  }

  #addText(text: string, modifier: Modifier): void {
    const prefix = this.#syntax.canonicalize(text);
    this.#parts.push(textPart(prefix, modifier));
  }

  #addGroup(
    before: string,
    given: string | null,
    regexp: string | null,
    behind: string,
  ): void {
    const { canonicalize, delimiter } = this.#syntax;
    const name = given ?? String(this.#number++);
    this.#checkName(name);
    const type =
      regexp === null || regexp.replace("\\", "") === `[^${delimiter}]+?`
        ? "segment"
        : regexp === ".*"
        ? "wildcard"
        : "regexp";
    this.#parts.push({
      type,
      name,
      prefix: canonicalize(before),
      source: type === "regexp" ? regexp! : "",
      suffix: canonicalize(behind),
      modifier: this.#modifier(),
    });
  }

  #checkName(name: string): void {
    if (name === "__proto__") {
      throw new TypeError("__proto__ can't be the name of a param");
    }
    for (const part of this.#parts) {
      if (part.name === name) {
        throw new TypeError(`the param "${name}" occurs twice`);
      }
    }
  }
}

/** A part that is fixed text. */
export function textPart(prefix: string, modifier: Modifier = ""): Part {
  return { type: "text", name: "", prefix, source: "", suffix: "", modifier };
}
