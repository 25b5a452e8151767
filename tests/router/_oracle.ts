import type { Match, Matcher, RoutePattern } from "@gatehouse/web/fetch-router";

interface Entry<Data> {
  readonly method: string;
  readonly pattern: RoutePattern;
  readonly data: Data;
}

/**
 * The slow and plain truth: native URLPatterns in a list. It shares no code
 * with the matcher of the library.
 */
export class Oracle<Data> implements Matcher<Data> {
  readonly #entries: Entry<Data>[] = [];

  add(method: string, pattern: RoutePattern, data: Data): void {
    this.#entries.push({ method, pattern, data });
  }

  match(method: string, url: string): Match<Data> | null {
    const methods = method === "HEAD" ? ["HEAD", "GET"] : [method];
    for (const each of [...methods, "ANY"]) {
      const [best] = this.#entries
        .filter((entry) =>
          entry.method === each && nativeParams(entry.pattern, url) !== null
        )
        .sort((a, b) => compareSpecificity(a.pattern, b.pattern));
      if (best === undefined) continue;
      return { data: best.data, params: nativeParams(best.pattern, url)! };
    }
    return null;
  }

  allowedMethods(url: string): string[] {
    const methods = this.#entries
      .filter(({ pattern }) => nativeParams(pattern, url) !== null)
      .flatMap(({ method }) =>
        method === "ANY"
          ? ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
          : method === "GET"
          ? ["GET", "HEAD"]
          : [method]
      );
    return [...new Set(methods)].sort();
  }
}

const COMPONENTS = [
  "protocol",
  "username",
  "password",
  "hostname",
  "port",
  "search",
  "hash",
  "pathname",
] as const;

/** The params as native URLPattern finds them, decoded; `null` for no match. */
export function nativeParams(
  { urlPattern }: RoutePattern,
  url: string,
): Record<string, string> | null {
  // Workers match a path that is no URL against a pattern of the path.
  const result = URL.canParse(url) ? urlPattern.exec(url) : null;
  if (result === null) return null;
  const params: Record<string, string> = Object.create(null);
  for (const name of COMPONENTS) {
    // What a pattern does not ask for has no params, the path excepted.
    if (urlPattern[name] === "*" && name !== "pathname") continue;
    for (const [key, value] of Object.entries(result[name].groups)) {
      if (value !== undefined) params[key] = decode(value);
    }
  }
  return params;
}

/** Decodes escapes character by character, as far as they are well-formed. */
function decode(text: string): string {
  let result = "";
  for (let at = 0; at < text.length;) {
    let length = 1;
    let decoded = text[at]!;
    for (const size of text[at] === "%" ? [3, 6, 9, 12] : []) {
      try {
        decoded = decodeURIComponent(text.slice(at, at + size));
        length = Math.min(size, text.length - at);
        break;
      } catch {
        // Not the whole of a character.
      }
    }
    result += decoded;
    at += length;
  }
  return result;
}

/** Negative where the first pattern is the more specific one. */
function compareSpecificity(a: RoutePattern, b: RoutePattern): number {
  const [x, y] = [pathSpecificity(a), pathSpecificity(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    // The end comes before another segment, unless it is behind a wildcard.
    const open = (x[i - 1]?.[0] ?? 0) >= 4;
    const end = [open ? 9 : -1];
    const difference = compareLists(x[i] ?? end, y[i] ?? end);
    if (difference !== 0) return difference;
  }
  return hostSpecificity(a) - hostSpecificity(b) || others(b) - others(a);
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! - (b[at] ?? -1);
}

/**
 * For each segment: its class, how little fixed text it has, the class of its
 * groups, whether it is optional.
 */
function pathSpecificity({ urlPattern }: RoutePattern): number[][] {
  const segments = segmentsOf(urlPattern.pathname);
  return segments.map(({ text, group, optional }) => {
    const mixed = text > 0 && (group === 2 || group === 3);
    return [
      mixed ? 1 : group,
      group === 0 ? 0 : -text,
      mixed ? group : 0,
      optional ? 1 : 0,
    ];
  });
}

interface Segment {
  text: number;
  group: number;
  optional: boolean;
}

const TOKEN =
  /\\([^])|:[\p{ID_Start}$_][\p{ID_Continue}$]*(\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\))?|(\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\))|([^])/uy;

/** Reads a pattern in the form in which the platform hands it back. */
function segmentsOf(pattern: string): Segment[] {
  const segments: Segment[] = [];
  let current: Segment = { text: 0, group: 0, optional: false };
  let started = false;
  let braces: number[] = [];
  let at = 0;
  let inBraces = false;
  const isOptional = (index: number) => /[?*]/.test(pattern[index] ?? "");
  const text = (char: string, optional: boolean) => {
    if (char === "/") {
      if (started) segments.push(current);
      current = { text: 0, group: 0, optional };
    } else {
      current.text++;
      current.optional ||= optional;
    }
    started = true;
  };
  while (at < pattern.length) {
    TOKEN.lastIndex = at;
    const [token, escaped, , , char] = TOKEN.exec(pattern)!;
    const end = at + token.length;
    if (char === "{") {
      inBraces = true;
      braces = [closing(pattern, at)];
    } else if (char === "}") {
      inBraces = false;
      if (/[?*+]/.test(pattern[end] ?? "")) at++;
    } else if (
      token.length > 1 && escaped === undefined && char === undefined ||
      char === "*"
    ) {
      const sign = inBraces ? pattern[braces[0]! + 1] : pattern[end];
      const repeated = sign === "*" || sign === "+";
      const optional = sign === "*" || sign === "?";
      // Some runtimes say for a param what it stands for.
      const regexp = /\((?!\[\^\\?\/\]\+\?\)$)/.test(token);
      const kind = char === "*" || token.endsWith("(.*)")
        ? 5
        : repeated
        ? 4
        : regexp
        ? 2
        : 3;
      started = true;
      current.group = Math.max(current.group, kind);
      current.optional ||= optional;
      if (!inBraces && /[?*+]/.test(pattern[end] ?? "")) at++;
    } else {
      const single = escaped ?? char!;
      const next = inBraces ? braces[0]! + 1 : prefixModifier(pattern, at, end);
      const length = [...new TextEncoder().encode(single)].length;
      for (let i = 0; i < Math.max(1, single === "/" ? 1 : length && 1); i++) {
        text(single, isOptional(next));
      }
    }
    at += token.length;
  }
  segments.push(current);
  return segments;
}

function closing(pattern: string, at: number): number {
  let depth = 0;
  for (let i = at; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern[i] === "(") depth++;
    else if (pattern[i] === ")") depth--;
    else if (pattern[i] === "}" && depth === 0) return i;
  }
  return pattern.length;
}

/** A slash before a group belongs to it: where the group's modifier stands. */
function prefixModifier(pattern: string, at: number, end: number): number {
  if (pattern[at] !== "/") return -1;
  TOKEN.lastIndex = end;
  const [token = "", escaped, , , char] = TOKEN.exec(pattern) ?? [];
  const group = token !== "" && escaped === undefined &&
    (char === undefined || char === "*");
  return group ? end + token.length : -1;
}

function hostSpecificity({ urlPattern }: RoutePattern): number {
  const { hostname } = urlPattern;
  if (hostname === "*") return 9;
  const text = /[\w.]/.test(hostname.replace(/:\w+|\(.*?\)/g, ""));
  if (hostname.includes("*")) return 5;
  if (hostname.includes("(")) return text ? 1 : 2;
  return hostname.includes(":") ? (text ? 1 : 3) : 0;
}

function others({ urlPattern }: RoutePattern): number {
  return COMPONENTS.filter((name) =>
    name !== "hostname" && name !== "pathname" && urlPattern[name] !== "*"
  ).length;
}
