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
 * @param delimiter What separates segments, or "". A slash belongs to the
 * group behind it.
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 * @see {@link https://urlpattern.spec.whatwg.org/#parsing | URL Pattern, 2.1.3 Parsing}
 */
export function parsePattern(pattern: string, delimiter: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  let number = 0;
  /** Fixed text that is not a part yet. */
  let pending = "";
  while (at < pattern.length) {
    ITEM.lastIndex = at;
    const [item, brace, text, slash, name, sign] = ITEM.exec(pattern)!;
    if (item === "") {
      throw new TypeError(`there is a ${pattern[at]} where none can be`);
    }
    at += item.length;
    const isGroup = (name ?? sign) !== undefined;
    let source = sign && ".*";
    if (isGroup && item.endsWith("(")) {
      const start = at;
      at = endOfRegExp(pattern, start);
      source = pattern.slice(start, at - 1);
    }
    let prefix = text! + slash;
    let suffix = "";
    if (brace) {
      CLOSING.lastIndex = at;
      const closing = CLOSING.exec(pattern);
      if (closing === null) {
        throw new TypeError("a { has no } or has two groups before it");
      }
      at = CLOSING.lastIndex;
      suffix = closing[1]!;
    } else {
      const isOwn = isGroup && slash !== "" && delimiter === "/";
      pending += isOwn ? text : prefix;
      prefix = isOwn ? "/" : "";
    }
    const hasModifier = (isGroup || brace) && "?*+".includes(pattern[at]!);
    const modifier = hasModifier ? pattern[at++] as Modifier : "";
    if (!isGroup && modifier === "") {
      pending += prefix;
      continue;
    }
    if (pending !== "") parts.push(textPart(fixed(pending, delimiter)));
    pending = "";
    if (isGroup) {
      const type = typeOf(source, delimiter);
      parts.push({
        type,
        name: name ?? String(number++),
        prefix: fixed(prefix, delimiter),
        source: type === "regexp" ? source! : "",
        suffix: fixed(suffix, delimiter),
        modifier,
      });
    } else if (prefix !== "") {
      parts.push(textPart(fixed(prefix, delimiter), modifier));
    }
  }
  if (pending !== "") parts.push(textPart(fixed(pending, delimiter)));
  // There are many patterns: nothing in reserve for more parts.
  return parts.slice();
}

/** An opening brace, text, a slash before a group, and where a group begins. */
const ITEM =
  /(\{?)((?:[^\\:({*}+?/]+|\\.|\/(?![:*(]))*)(\/?)(?::([\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*)\(?|([*(]))?/suy;

/** Text, and a closing brace. */
const CLOSING = /((?:[^\\:({*}+?]|\\.)*)\}/suy;

/** Where a regexp group ends whose source begins at a position. */
function endOfRegExp(pattern: string, start: number): number {
  for (let at = start, depth = 1; at < pattern.length;) {
    const char = pattern[at++];
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
  if (escaped === "/" || !ODD.test(escaped)) return escaped;
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
