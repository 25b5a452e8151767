/** What the pattern language of URLPattern is made of. */
export type TokenType =
  | "open"
  | "close"
  | "regexp"
  | "name"
  | "char"
  | "escaped-char"
  | "modifier"
  | "asterisk"
  | "end";

/** A piece of a pattern. */
export interface Token {
  /** What it is. */
  readonly type: TokenType;
  /** Its text, without `:`, `\` and the parentheses of a regexp group. */
  readonly value: string;
}

const SIGNS: Readonly<Record<string, TokenType>> = {
  "*": "asterisk",
  "+": "modifier",
  "?": "modifier",
  "{": "open",
  "}": "close",
};

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;

/**
 * Splits a pattern into tokens, the last of which is the end.
 *
 * @see {@link https://urlpattern.spec.whatwg.org/#tokenizing | URL Pattern, 2.1.2 Tokenizing}
 */
export function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const char = String.fromCodePoint(pattern.codePointAt(at)!);
    let type: TokenType = SIGNS[char] ?? "char";
    let value = char;
    let next = at + char.length;
    if (char === "\\") {
      if (next === pattern.length) throw new TypeError("it ends in a \\");
      type = "escaped-char";
      value = String.fromCodePoint(pattern.codePointAt(next)!);
      next += value.length;
    } else if (char === ":") {
      type = "name";
      NAME.lastIndex = next;
      value = NAME.exec(pattern)?.[0] ?? "";
      if (value === "") throw new TypeError("a : has no name behind it");
      next += value.length;
    } else if (char === "(") {
      type = "regexp";
      const end = regexpEnd(pattern, next);
      value = pattern.slice(next, end);
      next = end + 1;
    }
    tokens.push({ type, value });
    at = next;
  }
  tokens.push({ type: "end", value: "" });
  return tokens;
}

/** Where the regexp group that starts at `start` has its closing parenthesis. */
function regexpEnd(pattern: string, start: number): number {
  if (pattern[start] === "?") {
    throw new TypeError("a regexp group begins with ?");
  }
  let depth = 1;
  for (let at = start; at < pattern.length; at++) {
    if (pattern.charCodeAt(at) > 0x7f) {
      throw new TypeError("a regexp group has a character outside ASCII");
    }
    if (pattern[at] === "\\") {
      at++;
      if (pattern.charCodeAt(at) > 0x7f) {
        throw new TypeError("a regexp group has a character outside ASCII");
      }
    } else if (pattern[at] === ")") {
      depth--;
      if (depth > 0) continue;
      if (at === start) throw new TypeError("a regexp group is empty");
      return at;
    } else if (pattern[at] === "(") {
      depth++;
      if (pattern[at + 1] !== "?") {
        throw new TypeError("a regexp group captures inside another");
      }
    }
  }
  throw new TypeError("a regexp group has no closing parenthesis");
}
