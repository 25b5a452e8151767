import { type Token, tokenize, type TokenType } from "./_tokens.ts";

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
 * Parses the pattern of one component into parts, as URLPattern does.
 *
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(pattern: string, syntax: Syntax): Part[] {
  return new Parser(tokenize(pattern), syntax).parse();
}

class Parser {
  readonly #tokens: Token[];
  readonly #syntax: Syntax;
  readonly #segment: string;
  readonly #parts: Part[] = [];
  #at = 0;
  #pending = "";
  #number = 0;

  constructor(tokens: Token[], syntax: Syntax) {
    this.#tokens = tokens;
    this.#syntax = syntax;
    this.#segment = `[^${syntax.delimiter}]+?`;
  }

  parse(): Part[] {
    while (this.#tokens[this.#at]!.type !== "end") {
      const char = this.#take("char");
      const name = this.#take("name");
      const regexp = this.#takeRegexp(name);
      if (name !== null || regexp !== null) {
        let prefix = char ?? "";
        if (prefix !== this.#syntax.prefix) {
          this.#pending += prefix;
          prefix = "";
        }
        this.#flush();
        this.#add(prefix, name, regexp, "", this.#takeModifier());
        continue;
      }
      const text = char ?? this.#take("escaped-char");
      if (text !== null) {
        this.#pending += text;
        continue;
      }
      this.#parseGroup();
    }
    this.#flush();
    return this.#parts;
  }

  #parseGroup(): void {
    if (this.#take("open") === null) {
      const { value } = this.#tokens[this.#at]!;
      throw new TypeError(`there is a ${value} where none can be`);
    }
    const prefix = this.#takeText();
    const name = this.#take("name");
    const regexp = this.#takeRegexp(name);
    const suffix = this.#takeText();
    if (this.#take("close") === null) {
      throw new TypeError("a { has no } or has two groups before it");
    }
    this.#add(prefix, name, regexp, suffix, this.#takeModifier());
  }

  #take(type: TokenType): string | null {
    const token = this.#tokens[this.#at]!;
    if (token.type !== type) return null;
    this.#at++;
    return token.value;
  }

  #takeRegexp(name: string | null): string | null {
    const regexp = this.#take("regexp");
    if (regexp !== null || name !== null) return regexp;
    return this.#take("asterisk") === null ? null : ".*";
  }

  #takeModifier(): Modifier {
    return (this.#take("modifier") ?? this.#take("asterisk") ?? "") as Modifier;
  }

  #takeText(): string {
    let text = "";
    while (true) {
      const next = this.#take("char") ?? this.#take("escaped-char");
      if (next === null) return text;
      text += next;
    }
  }

  #flush(): void {
    if (this.#pending === "") return;
    this.#addText(this.#pending, "");
    this.#pending = "";
  }

  #addText(text: string, modifier: Modifier): void {
    const prefix = this.#syntax.canonicalize(text);
    const part = { type: "text", name: "", source: "", suffix: "" } as const;
    this.#parts.push({ ...part, prefix, modifier });
  }

  #add(
    prefix: string,
    name: string | null,
    regexp: string | null,
    suffix: string,
    modifier: Modifier,
  ): void {
    if (name === null && regexp === null && modifier === "") {
      this.#pending += prefix;
      return;
    }
    this.#flush();
    if (name === null && regexp === null) {
      if (prefix !== "") this.#addText(prefix, modifier);
      return;
    }
    const type = regexp === null || regexp.replace("\\", "") === this.#segment
      ? "segment"
      : regexp === ".*"
      ? "wildcard"
      : "regexp";
    const { canonicalize } = this.#syntax;
    this.#parts.push({
      type,
      name: this.#uniqueName(name),
      prefix: canonicalize(prefix),
      source: type === "regexp" ? regexp! : "",
      suffix: canonicalize(suffix),
      modifier,
    });
  }

  #uniqueName(given: string | null): string {
    const name = given ?? String(this.#number++);
    if (name === "__proto__") {
      throw new TypeError("__proto__ can't be the name of a param");
    }
    if (this.#parts.some((part) => part.name === name)) {
      throw new TypeError(`the param "${name}" occurs twice`);
    }
    return name;
  }
}
