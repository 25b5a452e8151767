import { type Part, textPart } from "./_parse.ts";

/**
 * Fixed text, slashes included; or what follows a slash: a param, or more than
 * that.
 */
export type Segment = string | Part | readonly Part[];

/**
 * What takes the rest of a path: anything, segments of which none is empty,
 * parts that do not keep to segments, or what only the platform can decide.
 */
export type Rest =
  | { readonly kind: "anything"; readonly name: string }
  | { readonly kind: "segments"; readonly name: string }
  | { readonly kind: "parts"; readonly parts: readonly Part[] }
  | { readonly kind: "platform" };

/** One of the forms of a path: with or without each of its optional parts. */
export interface PathForm {
  /** The segments from the left. */
  readonly segments: readonly Segment[];
  /** What follows them; `null` where the path ends. */
  readonly rest: Rest | null;
}

/** More optional parts than this are not written out. */
const MAX_WRITTEN_OUT = 4;

/**
 * Cuts a path into segments, once for each combination of the optional parts that
 * are whole segments. The form that URLPattern would try first comes first.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  if (parts.every(isWhole)) {
    return [{ segments: parts.map(segmentOf), rest: null }];
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
  return forms.map((form) => new Cutter(form).cut());
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

class Cutter {
  readonly #all: readonly Part[];
  readonly #segments: Segment[] = [];
  /** Whether there was a slash, so that a segment is being read. */
  #open = false;
  /** The parts of the segment that is being read. */
  #parts: Part[] = [];
  /** The fixed text behind them. */
  #text = "";

  constructor(parts: readonly Part[]) {
    this.#all = parts;
  }

  cut(): PathForm {
    const parts = this.#all;
    if (parts.length > 0 && !parts[0]!.prefix.startsWith("/")) {
      return { segments: [], rest: this.#restAt(0) };
    }
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index]!;
      const { type, prefix, suffix, modifier } = part;
      if (modifier === "") this.#addText(prefix);
      if (modifier === "" && type === "text") continue;
      const rest = this.#restAt(index);
      if (rest !== null) return { segments: this.#segments, rest };
      this.#addPart(
        modifier === "" ? { ...part, prefix: "", suffix: "" } : part,
      );
      if (modifier === "") this.#addText(suffix);
    }
    this.#endSegment();
    return { segments: this.#segments, rest: null };
  }

  /** What takes the rest of the path, if it begins with or before a part. */
  #restAt(index: number): Rest | null {
    const part = this.#all[index]!;
    const { type, name, prefix, suffix, modifier } = part;
    const last = index === this.#all.length - 1;
    const simple = last && suffix === "" && this.#parts.length === 0;
    if (simple && type === "wildcard" && modifier === "") {
      this.#endSegment();
      return { kind: "anything", name };
    }
    if (this.#open && staysInSegment(part) && !spansSegments(part)) return null;
    if (modifier === "+" && prefix.startsWith("/")) {
      this.#endSegment();
      if (simple && type === "segment" && prefix === "/") {
        this.#segments.push("/");
        return { kind: "segments", name };
      }
    }
    const before = this.#open ? [textPart("/"), ...this.#takeParts()] : [];
    // Text before a group without a modifier is among those already.
    const first = this.#open && modifier === ""
      ? { ...part, prefix: "" }
      : part;
    const parts = [...before, first, ...this.#all.slice(index + 1)];
    return parts.some(isRegExp)
      ? { kind: "platform" }
      : { kind: "parts", parts };
  }

  #addText(text: string): void {
    let start = 0;
    for (let at = 0; (at = text.indexOf("/", start)) >= 0; start = at + 1) {
      this.#text += text.slice(start, at);
      this.#endSegment();
      this.#open = true;
    }
    this.#text += text.slice(start);
  }

  #addPart(part: Part): void {
    if (this.#text !== "") this.#parts.push(textPart(this.#text));
    this.#text = "";
    this.#parts.push(part);
  }

  /** The parts of the segment, the text behind them among them. */
  #takeParts(): Part[] {
    const parts = this.#parts;
    if (this.#text !== "") parts.push(textPart(this.#text));
    this.#parts = [];
    this.#text = "";
    return parts;
  }

  #endSegment(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#parts.length === 0) {
      this.#segments.push(`/${this.#text}`);
      this.#text = "";
      return;
    }
    const parts = this.#takeParts();
    const [first] = parts;
    const isParam = parts.length === 1 && first!.type === "segment" &&
      first!.modifier === "";
    this.#segments.push(isParam ? first! : parts);
  }
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

function segmentOf(part: Part): Segment {
  return part.type === "text" ? part.prefix : part;
}

/** Whether a part is a regexp group. */
export function isRegExp({ type }: Part): boolean {
  return type === "regexp";
}
