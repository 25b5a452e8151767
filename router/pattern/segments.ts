import { type Part, textPart } from "./parse.ts";

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
export const MAX_FORMS: number = 2 ** MAX_WRITTEN_OUT + 1;

/**
 * Returns the forms of a path: one for each combination of its optional parts
 * that are whole segments, which are there or not. Each is cut into segments,
 * up to the first part that may be more than one. A path that may be absent
 * altogether is a slash then, because no URL has an empty path.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  if (parts.every(isWhole)) return [parts];
  const forms = writeOut(parts.flatMap(piecesOf)).map(segmentsOf)
    .filter((form) => form !== null);
  if (parts.every(isOptional)) forms.push([textPart("/")]);
  return forms;
}

/**
 * The pieces with and without each optional one, the longest first.
 *
 * @param left How many optional pieces are written out at most.
 */
function writeOut(
  pieces: readonly Part[],
  left = MAX_WRITTEN_OUT,
): (readonly Part[])[] {
  const index = pieces.findIndex((piece, index) =>
    isOptional(piece) && beginsSegment(pieces.slice(index))
  );
  if (index < 0 || left === 0) return [pieces];
  const before = pieces.slice(0, index);
  const behind = pieces.slice(index + 1);
  const present = pieces[index]!;
  const modifier = present.modifier === "?" ? "" : "+";
  return [[...piecesOf({ ...present, modifier }), ...behind], behind]
    .flatMap((rest) => writeOut([...before, ...rest], left - 1));
}

/** The segments of a path, or `null` if no URL has it, because of a dot segment. */
function segmentsOf(pieces: readonly Part[]): PathForm | null {
  const segments: Segment[] = [];
  const behind = [...pieces];
  while (behind.length > 0) {
    const own = [behind.shift()!];
    while (behind.length > 0 && !behind[0]!.prefix.startsWith("/")) {
      own.push(behind.shift()!);
    }
    let text = "";
    while (own.length > 0 && isFixed(own[0]!)) text += own.shift()!.prefix;
    if (!own.every(staysInSegment) || !beginsSegment(behind)) {
      return [...segments, textPart(text), [...own, ...behind]];
    }
    if (own.length === 0 && DOT_SEGMENT.test(text)) return null;
    const [part] = own;
    if (text === "/" && own.length === 1 && isSegment(part!)) {
      segments.push({ ...part!, prefix: text });
    } else segments.push(textPart(text), ...(own.length > 0 ? [own] : []));
  }
  return segments;
}

function isSegment({ type, modifier }: Part): boolean {
  return type === "segment" && modifier === "";
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

/** Whether the value of a group can't have a slash. */
function hasNoSlash({ type, regexp }: Part): boolean {
  return type !== "wildcard" && !regexp?.hasSlash;
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
