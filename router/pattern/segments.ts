import { type Part, textPart } from "./parse.ts";

/**
 * A literal, slashes included; a param that follows a slash; or an array with
 * the parts of another segment, from its first group on. The last array may
 * contain the rest of the path, from the first group on that may match a slash.
 */
export type Segment = Part | readonly Part[];

/** The segments of a path from the left, with or without its optional parts. */
export type PathForm = readonly Segment[];

/** The maximum number of optional parts that are expanded. */
const MAX_EXPANDED = 4;

/** The maximum number of forms that a path can have. */
export const MAX_FORMS: number = 2 ** MAX_EXPANDED + 1;

/**
 * Returns the forms of a path: one for each combination of its optional parts
 * that are whole segments. Each is split into segments, up to the first part
 * that may match more than one. If all parts are optional, the last form is a
 * slash, because no URL has an empty path.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  if (parts.every(isWhole)) return [parts];
  const forms = expand(parts.flatMap(piecesOf)).map(segmentsOf)
    .filter((form) => form !== null);
  if (parts.every(isOptional)) forms.push([textPart("/")]);
  return forms;
}

/**
 * Returns the pieces with and without each optional one, the longest first.
 *
 * @param left The maximum number of optional pieces to expand.
 */
function expand(
  pieces: readonly Part[],
  left = MAX_EXPANDED,
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
    .flatMap((rest) => expand([...before, ...rest], left - 1));
}

/** Returns the segments of a path, or `null` if it has a dot segment. */
function segmentsOf(pieces: readonly Part[]): PathForm | null {
  const segments: Segment[] = [];
  const behind = [...pieces];
  while (behind.length > 0) {
    const own = [behind.shift()!];
    while (behind.length > 0 && !behind[0]!.prefix.startsWith("/")) {
      own.push(behind.shift()!);
    }
    let text = "";
    while (own.length > 0 && isLiteral(own[0]!)) text += own.shift()!.prefix;
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

/** Returns `true` if a part may be absent. */
export function isOptional({ modifier }: Part): boolean {
  return modifier === "?" || modifier === "*";
}

/** Returns `true` if a part may occur more than once. */
export function isRepeated({ modifier }: Part): boolean {
  return modifier === "*" || modifier === "+";
}

/** Returns `true` if each form begins a segment here, or ends the path. */
function beginsSegment(pieces: readonly Part[]): boolean {
  for (const piece of pieces) {
    if (!piece.prefix.startsWith("/")) return false;
    if (!isOptional(piece)) return true;
  }
  return true;
}

/** Returns `true` if the value of a group cannot have a slash. */
function hasNoSlash({ type, regexp }: Part): boolean {
  return type !== "wildcard" && !regexp?.hasSlash;
}

/** Returns `true` if a piece cannot match more than a segment. */
export function staysInSegment(piece: Part): boolean {
  const { type, prefix, suffix } = piece;
  const isRun = type === "segment" && prefix + suffix === "";
  return hasNoSlash(piece) && !(prefix + suffix).includes("/") &&
    (isRun || !isRepeated(piece));
}

/** Returns the names of the groups, in their order. */
export function namesOf(parts: readonly Part[]): readonly string[] {
  return parts.filter(({ name }) => name !== "").map(({ name }) => name);
}

/** Returns `true` for a literal that always occurs. */
export function isLiteral({ type, modifier }: Part): boolean {
  return type === "text" && modifier === "";
}

/** Splits a part at the ends of segments, unless it has a modifier. */
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

/** Returns `true` if a part is a whole segment, or a literal of several. */
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

/** Returns `true` for a regexp group. */
export function isRegExp({ type }: Part): boolean {
  return type === "regexp";
}
