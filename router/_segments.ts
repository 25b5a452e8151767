import { type Part, textPart } from "./_parse.ts";

/**
 * Fixed text, slashes included; a param that follows a slash; or a segment that
 * is more than that, from where its fixed text ends. The last one may be all of
 * the rest of a path, from where that does not keep to segments.
 */
export type Segment = Part | readonly Part[];

/** The segments of a path from the left, with or without each optional part. */
export type PathForm = readonly Segment[];

/** More optional parts than this are not written out. */
const MAX_WRITTEN_OUT = 4;

/** The most forms that a path can have. */
export const MAX_FORMS: number = 2 ** MAX_WRITTEN_OUT;

/**
 * Cuts a path into segments up to the first that may be more than one, once for
 * each combination of the optional parts before that which are whole segments.
 * The form that URLPattern would try first comes first.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  return parts.every(isWhole)
    ? [parts]
    : formsOf([], parts.flatMap(piecesOf), 0);
}

/**
 * The forms of a path that begins with some segments. There are none where no
 * URL has such a path, because of a dot segment.
 *
 * @param pieces What follows the segments.
 * @param writtenOut How many optional parts were before.
 */
function formsOf(
  segments: PathForm,
  pieces: readonly Part[],
  writtenOut: number,
): PathForm[] {
  const [first, ...behind] = pieces;
  if (first === undefined) return [segments];
  if (
    isOptional(first) && beginsSegment(pieces) && writtenOut < MAX_WRITTEN_OUT
  ) {
    const modifier = first.modifier === "?" ? "" : "+";
    const present = [...piecesOf({ ...first, modifier }), ...behind];
    return [present, behind].flatMap((pieces) =>
      formsOf(segments, pieces, writtenOut + 1)
    );
  }
  const own = [first];
  while (behind.length > 0 && !behind[0]!.prefix.startsWith("/")) {
    own.push(behind.shift()!);
  }
  let text = "";
  while (own.length > 0 && isFixed(own[0]!)) text += own.shift()!.prefix;
  if (!own.every(staysInSegment) || !beginsSegment(behind)) {
    return [[...segments, textPart(text), [...own, ...behind]]];
  }
  if (own.length === 0 && DOT_SEGMENT.test(text)) return [];
  const isParam = text === "/" && own.length === 1 &&
    own[0]!.type === "segment" && own[0]!.modifier === "";
  const fixed = own.length === 0 ? [textPart(text)] : [textPart(text), own];
  return formsOf(
    [...segments, ...(isParam ? own : fixed)],
    behind,
    writtenOut,
  );
}

const DOT_SEGMENT = /^\/(?:\.|%2e){1,2}$/i;

/** Whether a part may be absent. */
export function isOptional({ modifier }: Part): boolean {
  return modifier === "?" || modifier === "*";
}

/** Whether a part may be there more than once. */
export function isRepeated({ modifier }: Part): boolean {
  return modifier === "*" || modifier === "+";
}

/** Whether a segment begins or the path ends, whichever optional parts are there. */
function beginsSegment(pieces: readonly Part[]): boolean {
  for (const piece of pieces) {
    if (!piece.prefix.startsWith("/")) return false;
    if (!isOptional(piece)) return true;
  }
  return true;
}

/**
 * Regexps that mean the same under all flags, match no slash and capture
 * nothing: characters, digits, words, plain classes, alternatives, quantifiers.
 */
const SEGMENT_REGEXP =
  /^(?:\\[dw]|\(\?:|[\w|)*+?{},]|\[(?:\w-\w|\w|\\[dw])+\])*$/;

/** Whether the value of a group can't have a slash. */
export function hasNoSlash({ type, source }: Part): boolean {
  return type !== "wildcard" && SEGMENT_REGEXP.test(source);
}

/** Whether a piece of a segment can't have a slash, nor repeat more than that. */
export function staysInSegment(piece: Part): boolean {
  const { type, prefix, suffix } = piece;
  const isRun = type === "segment" && prefix + suffix === "";
  return hasNoSlash(piece) && !(prefix + suffix).includes("/") &&
    (isRun || !isRepeated(piece));
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
  return text === "" ? [] : text.split(/(?=\/)/).map((text) => textPart(text));
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
