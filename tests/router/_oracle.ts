import { escapeClasses } from "./_quirks.ts";
import type { Match, Matcher, RoutePattern } from "@gatehouse/web/fetch-router";

interface Entry<Data> {
  readonly method: string;
  readonly pattern: RoutePattern;
  readonly forms: readonly Form[];
  readonly data: Data;
}

interface Candidate<Data> extends Match<Data> {
  readonly method: string;
  readonly rank: readonly number[];
}

/** The forms of each pattern, because a native URLPattern takes long to create. */
const formsOfPatterns = new WeakMap<RoutePattern, readonly Form[]>();

/**
 * A slow and simple matcher that gives the correct result. It has an array of
 * native URLPatterns, one for each form of a pattern, and shares no code with
 * the library.
 */
export class Oracle<Data> implements Matcher<Data> {
  readonly #entries: Entry<Data>[] = [];

  add(method: string, pattern: RoutePattern, data: Data): void {
    const forms = formsOfPatterns.get(pattern) ?? formsOf(pattern);
    formsOfPatterns.set(pattern, forms);
    this.#entries.push({ method, pattern, data, forms });
  }

  match(method: string, url: string): Match<Data> | null {
    const best = this.#best(method, url);
    const found = method === "HEAD" && best?.method !== "HEAD"
      ? this.#best("GET", url)
      : best;
    return found ? { data: found.data, params: found.params } : null;
  }

  #best(method: string, url: string): Candidate<Data> | undefined {
    return this.#entries
      .filter((entry) => [method, "ANY"].includes(entry.method))
      .flatMap((entry) => candidates(entry, url))
      .sort((a, b) =>
        compareRanks(a.rank, b.rank) ||
        Number(a.method === "ANY") - Number(b.method === "ANY")
      )[0];
  }

  allowedMethods(url: string): string[] {
    const matching = this.#entries
      .filter((entry) => candidates(entry, url).length > 0);
    const known = this.#entries.map(({ method }) => method)
      .filter((method) => method !== "ANY");
    const methods = matching
      .flatMap(({ method }) =>
        method === "ANY"
          ? [
            ...known,
            "DELETE",
            "GET",
            "HEAD",
            "OPTIONS",
            "PATCH",
            "POST",
            "PUT",
          ]
          : method === "GET"
          ? ["GET", "HEAD"]
          : [method]
      );
    return [...new Set(methods)].sort();
  }
}

function candidates<Data>(
  { method, pattern, forms, data }: Entry<Data>,
  url: string,
): Candidate<Data>[] {
  return forms.flatMap((form) => {
    const params = formParams(form, url);
    if (params === null) return [];
    const rank = rankOf(pattern, form.native, forms.length > 1);
    return [{ method, data, params, rank }];
  });
}

/** Returns the params of the most specific matching form of a pattern. */
export function expectedParams(
  pattern: RoutePattern,
  url: string,
): Record<string, string> | null {
  const oracle = new Oracle<null>();
  oracle.add("GET", pattern, null);
  return oracle.match("GET", url)?.params ?? null;
}

/** A form of a pattern: with some of its optional segments, without the others. */
interface Form {
  readonly native: URLPattern;
  /** The numbers of the unnamed groups in the whole pattern. */
  readonly numbers: readonly number[];
}

interface Piece {
  /** The source without the modifier. */
  readonly text: string;
  readonly modifier: string;
  readonly numbers: readonly number[];
}

/** The maximum number of optional segments with separate forms. */
const MOST_OPTIONAL = 4;

function formsOf(pattern: RoutePattern): Form[] {
  const { urlPattern } = pattern;
  // It is not public.
  const ignoreCase: boolean = Reflect.get(pattern, "ignoreCase");
  const pieces = piecesOf(pathSource(pattern));
  const others: URLPatternInit = {};
  for (const name of COMPONENTS) {
    if (name !== "pathname") others[name] = urlPattern[name];
  }
  const written = expandOptional(pieces, MOST_OPTIONAL);
  const forms = written.map((pieces) => ({
    native: new URLPattern({
      ...others,
      pathname: pieces.map(({ text, modifier }) => text + modifier).join(""),
    }, { ignoreCase }),
    numbers: pieces.flatMap(({ numbers }) => numbers),
  }));
  // A URL never has an empty path.
  if (pieces.length > 0 && pieces.every(isOptional)) {
    const native = new URLPattern({ ...others, pathname: "/" });
    forms.push({ native, numbers: [] });
  }
  return forms;
}

/** Returns the source of the path. In workerd, URLPattern drops some braces. */
function pathSource(pattern: RoutePattern): string {
  const pathname = "/a{/b:c}?";
  if (new URLPattern({ pathname }).pathname === pathname) {
    return pattern.urlPattern.pathname;
  }
  const components: { name: string; source: string }[] = Reflect.get(
    pattern,
    "components",
  );
  const path = components.find(({ name }) => name === "pathname")!;
  return escapeClasses(path.source);
}

function expandOptional(pieces: readonly Piece[], left: number): Piece[][] {
  const at = pieces.findIndex((_, at) => {
    const [first, ...behind] = pieces.slice(at);
    const must = behind.findIndex((piece) => !isOptional(piece));
    return isOptional(first!) &&
      [first!, ...behind.slice(0, must < 0 ? undefined : must + 1)]
        .every(({ text }) => /^\{?\//.test(text));
  });
  if (at < 0 || left === 0) return [[...pieces]];
  const [before, behind] = [pieces.slice(0, at), pieces.slice(at + 1)];
  const modifier = pieces[at]!.modifier === "*" ? "+" : "";
  return [[{ ...pieces[at]!, modifier }], []].flatMap((piece) =>
    expandOptional([...before, ...piece, ...behind], left - 1)
  );
}

function isOptional({ modifier }: Piece): boolean {
  return /[?*]/.test(modifier);
}

/** Splits a pattern into characters and groups with the slash before them. */
function piecesOf(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  let number = 0;
  for (let at = 0; at < pattern.length;) {
    const start = at;
    if (pattern[at] === "{") at = closing(pattern, at) + 1;
    else {
      TOKEN.lastIndex = pattern[at] === "/" ? at + 1 : at;
      const [token = ""] = TOKEN.exec(pattern) ?? [];
      const isGroup = isGroupToken(token);
      TOKEN.lastIndex = at;
      at = isGroup || pattern[at] !== "/"
        ? (pattern[at] === "/" ? at + 1 : at) + token.length
        : at + 1;
    }
    const text = pattern.slice(start, at);
    const inner = text.startsWith("{") ? text.slice(1, -1) : text;
    const isGroup = text.startsWith("{") ||
      isGroupToken(text.replace(/^\//, ""));
    const unnamed = [...inner.matchAll(ALL_TOKENS)]
      .filter(([token]) => token === "*" || token.startsWith("("));
    const numbers = unnamed.map(() => number++);
    const modifier = isGroup && /[?*+]/.test(pattern[at] ?? "")
      ? pattern[at++]!
      : "";
    pieces.push({ text, modifier, numbers });
  }
  return pieces;
}

function isGroupToken(token: string): boolean {
  return token === "*" || (token.length > 1 && /^[:(]/.test(token));
}

function formParams(
  { native, numbers }: Form,
  url: string,
): Record<string, string> | null {
  const result = execute(native, url);
  if (result === null) return null;
  const path = result.pathname.groups;
  const params: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(paramsOf(native, result))) {
    const isNumber = /^\d/.test(key) && path[key] !== undefined;
    params[isNumber ? String(numbers[Number(key)]) : key] = value;
  }
  return params;
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

/** Returns the decoded params of a native URLPattern, or `null`. */
export function nativeParams(
  { urlPattern }: { readonly urlPattern: URLPattern },
  url: string,
): Record<string, string> | null {
  const result = execute(urlPattern, url);
  return result && paramsOf(urlPattern, result);
}

function execute(pattern: URLPattern, url: string): URLPatternResult | null {
  // Workers match a bare path against the pattern of the path.
  return URL.canParse(url) ? pattern.exec(url) : null;
}

function paramsOf(
  pattern: URLPattern,
  result: URLPatternResult,
): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  for (const name of COMPONENTS) {
    // A component that is not in the pattern has no params, except the path.
    if (pattern[name] === "*" && name !== "pathname") continue;
    for (const [key, value] of Object.entries(result[name].groups)) {
      if (value !== undefined) params[key] = decode(value);
    }
  }
  return params;
}

/** Decodes the well-formed escapes, character by character. */
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
        // An incomplete character.
      }
    }
    result += decoded;
    at += length;
  }
  return result;
}

/**
 * Returns the specificity of a form as numbers that are compared in order. Each
 * segment has a class, minus the length of its fixed text, the class of its
 * groups, and 1 if it is optional.
 */
function rankOf(
  { urlPattern }: RoutePattern,
  form: URLPattern,
  isOptional: boolean,
): number[] {
  const segments = segmentsOf(form.pathname).map(
    ({ text, group, optional }) => {
      const mixed = text > 0 && (group === 2 || group === 3);
      return [
        mixed ? 1 : group,
        group === 0 ? 0 : -text,
        mixed ? group : 0,
        optional ? 1 : 0,
      ];
    },
  );
  const { protocol, hostname, port } = urlPattern;
  const named = [protocol, hostname, port].some((text) => text !== "*");
  // The end ranks before another segment, except after a wildcard.
  const open = segments.at(-1)![0]! >= 4;
  return [
    isLiteralHost(hostname) ? 0 : named ? 1 : 2,
    ...segments.flat(),
    open ? 1_000_000 : -1_000_000,
    hostSpecificity(urlPattern),
    -others(urlPattern),
    isOptional ? 1 : 0,
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

interface Segment {
  text: number;
  group: number;
  optional: boolean;
}

const TOKEN =
  /\\([^])|:[\p{ID_Start}$_][\p{ID_Continue}$]*(\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\))?|(\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\))|([^])/uy;

const ALL_TOKENS = new RegExp(TOKEN.source, "gu");

/** Parses a pattern in the form that URLPattern returns. */
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
      // Some runtimes add the default regexp to a param.
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

/** Returns the index of the modifier of the group to which a slash belongs. */
function prefixModifier(pattern: string, at: number, end: number): number {
  if (pattern[at] !== "/") return -1;
  TOKEN.lastIndex = end;
  const [token = "", escaped, , , char] = TOKEN.exec(pattern) ?? [];
  const group = token !== "" && escaped === undefined &&
    (char === undefined || char === "*");
  return group ? end + token.length : -1;
}

function hostSpecificity({ hostname }: URLPattern): number {
  if (hostname === "*") return 9;
  const text = /[\w.]/.test(hostname.replace(/:\w+|\(.*?\)/g, ""));
  if (hostname.includes("*")) return 5;
  if (hostname.includes("(")) return text ? 1 : 2;
  return hostname.includes(":") ? (text ? 1 : 3) : 0;
}

function isLiteralHost(hostname: string): boolean {
  return !/[*({]|(?<!\\):/.test(hostname);
}

function others(urlPattern: URLPattern): number {
  return COMPONENTS.filter((name) =>
    name !== "hostname" && name !== "pathname" && urlPattern[name] !== "*"
  ).length;
}
