import { type Part, textPart } from "./_parse.ts";

/**
 * Fixed text, slashes included; a param that follows a slash; or a segment that
 * is more than that, from where its fixed text ends.
 */
export type Segment = Part | readonly Part[];

/** One of the forms of a path: with or without each of its optional parts. */
export interface PathForm {
  /** The segments from the left. */
  readonly segments: readonly Segment[];
  /** What does not keep to segments; `null` where the path ends before. */
  readonly rest: readonly Part[] | null;
  /** The names of all params. */
  readonly names: readonly string[];
}

/** More optional parts than this are not written out. */
const MAX_WRITTEN_OUT = 4;

/** The most forms that a path can have. */
export const MAX_FORMS: number = 2 ** MAX_WRITTEN_OUT;

/**
 * Cuts a path into segments, once for each combination of the optional parts that
 * are whole segments. The form that URLPattern would try first comes first.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  if (parts.every(isWhole)) {
    return [{ segments: parts, rest: null, names: namesOf(parts) }];
  }
  let forms = [parts];
  for (const part of optionalSegments(parts)) {
    const modifier = part.modifier === "?" ? "" : "+";
    const present = { ...part, modifier } as const;
    forms = forms.flatMap((form) => [
      form.map((each) => each === part ? present : each),
      form.filter((each) => each !== part),
    ]);
  }
  return forms.flatMap((form) => cut(form) ?? []);
}

/**
 * The optional parts that begin and end where segments do, with nothing before
 * them whose extent depends on whether they are there.
 */
function optionalSegments(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!;
    const whole = isOptional(part) && beginsSegment(parts, index);
    if (whole) found.push(part);
    if (found.length === MAX_WRITTEN_OUT || !staysInSegment(part)) break;
    if (whole ? part.modifier === "*" : spansSegments(part)) break;
  }
  return found;
}

/** Whether a part may be absent. */
export function isOptional({ modifier }: Part): boolean {
  return modifier === "?" || modifier === "*";
}

/** Whether a part may be there more than once. */
export function isRepeated({ modifier }: Part): boolean {
  return modifier === "*" || modifier === "+";
}

/** Whether a segment begins at a part, whichever optional parts are there. */
function beginsSegment(parts: readonly Part[], index: number): boolean {
  for (const part of parts.slice(index)) {
    if (!part.prefix.startsWith("/")) return false;
    if (!isOptional(part)) return true;
  }
  return true;
}

/** Whether a part with a modifier can be in more than one segment. */
function spansSegments({ prefix, suffix, modifier }: Part): boolean {
  return modifier !== "" && (prefix + suffix).includes("/");
}

/**
 * Regexps that mean the same under all flags, match no slash and capture
 * nothing: characters, digits, words, plain classes, alternatives, quantifiers.
 */
const SEGMENT_REGEXP =
  /^(?:\\[dw]|\(\?:|[\w|)*+?{},]|\[(?:\w-\w|\w|\\[dw])+\])+$/;

/** Whether the group of a part can't match a slash. */
function staysInSegment({ type, source }: Part): boolean {
  return type === "regexp" ? SEGMENT_REGEXP.test(source) : type !== "wildcard";
}

/**
 * Cuts a path into segments up to the first that may be more than one; `null`
 * where no URL has such a path, because of a dot segment.
 */
function cut(parts: readonly Part[]): PathForm | null {
  const pieces = parts.flatMap(piecesOf);
  const segments: Segment[] = [];
  const isInside = (piece: Part | undefined) =>
    piece !== undefined && !piece.prefix.startsWith("/");
  while (pieces.length > 0 && isFixed(pieces[0]!) && !isInside(pieces[0])) {
    let text = pieces.shift()!.prefix;
    while (isInside(pieces[0]) && isFixed(pieces[0]!)) {
      text += pieces.shift()!.prefix;
    }
    let end = 0;
    while (isInside(pieces[end])) end++;
    const own = pieces.slice(0, end);
    const next = pieces[end];
    const isRest = !own.every(staysInSegment) || own.some(spansSegments) ||
      (next !== undefined && isOptional(next));
    const isParam = text === "/" && own.length === 1 &&
      own[0]!.type === "segment" && own[0]!.modifier === "";
    if (isRest || !isParam) segments.push(textPart(text));
    if (isRest) break;
    if (own.length > 0) segments.push(isParam ? own[0]! : own);
    else if (/^\/(?:\.|%2e){1,2}$/i.test(text)) return null;
    pieces.splice(0, end);
  }
  const rest = pieces.length > 0 ? pieces : null;
  return { segments, rest, names: namesOf(parts) };
}

/** The names of the groups, in their order. */
export function namesOf(parts: readonly Part[]): readonly string[] {
  return parts.filter(({ name }) => name !== "").map(({ name }) => name);
}

function isFixed({ type, modifier }: Part): boolean {
  return type === "text" && modifier === "";
}

/** A part cut up where segments end, unless that depends on its modifier. */
function piecesOf(part: Part): Part[] {
  const { prefix, type, suffix, modifier } = part;
  if (modifier !== "") return [part];
  const before = textsOf(prefix);
  if (type === "text") return before;
  return [...before, { ...part, prefix: "", suffix: "" }, ...textsOf(suffix)];
}

function textsOf(text: string): Part[] {
  return (text.match(/^[^/]+|\/[^/]*/g) ?? []).map((text) => textPart(text));
}

/** Whether a part is all of a segment, or fixed text that is all of several. */
export function isWhole(
  { type, prefix, suffix, modifier }: Part,
  index: number,
  parts: readonly Part[],
): boolean {
  const next = parts[index + 1];
  return modifier === "" && suffix === "" && prefix.startsWith("/") &&
    (type === "text" || (type === "segment" && prefix === "/")) &&
    (next === undefined || next.prefix.startsWith("/"));
}

/** Whether a part is a regexp group. */
export function isRegExp({ type }: Part): boolean {
  return type === "regexp";
}
