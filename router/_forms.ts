import type { Part } from "./_parse.ts";
import {
  canBeEmpty,
  canMatch,
  parseSimpleRegExp,
  type SimpleRegExp,
} from "./_regexp.ts";

/** What follows a slash: fixed text, a param, or more than that. */
export type Segment =
  | { readonly kind: "fixed"; readonly text: string }
  | { readonly kind: "param"; readonly name: string }
  | { readonly kind: "mixed"; readonly parts: readonly Part[] };

/**
 * What takes the rest of a path, slash included: anything behind some text,
 * segments of which none is empty, parts that do not keep to segments, or what
 * only the platform can decide.
 */
export type Rest =
  | { readonly kind: "anything"; readonly name: string; readonly text: string }
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

const SLASH = 47;

/** More optional parts than this are not written out. */
const MAX_WRITTEN_OUT = 4;

/**
 * Cuts a path into segments, once for each combination of the optional parts that
 * are whole segments. The form that URLPattern would try first comes first.
 */
export function pathForms(parts: readonly Part[]): PathForm[] {
  const optional = optionalSegments(parts);
  let forms: Part[][] = [[]];
  for (const part of parts) {
    if (!optional.includes(part)) {
      forms.forEach((form) => form.push(part));
      continue;
    }
    const modifier = part.modifier === "?" ? "" : "+";
    forms = forms.flatMap((form) => [[...form, { ...part, modifier }], form]);
  }
  return forms.map((form) => new Cutter(form).cut());
}

/**
 * The optional parts that begin and end where segments do, with nothing before
 * them whose extent depends on whether they are there.
 */
function optionalSegments(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const optional = part.modifier === "?" || part.modifier === "*";
    const whole = optional && beginsSegment(parts, index);
    if (whole) found.push(part);
    if (found.length === MAX_WRITTEN_OUT || !staysInSegment(part)) break;
    if (whole ? part.modifier === "*" : spansSegments(part)) break;
  }
  return found;
}

/** Whether a segment begins at a part, whichever optional parts are there. */
function beginsSegment(parts: readonly Part[], index: number): boolean {
  for (const { prefix, modifier } of parts.slice(index)) {
    if (!prefix.startsWith("/")) return false;
    if (modifier === "" || modifier === "+") return true;
  }
  return true;
}

/** Whether a part with a modifier can be in more than one segment. */
function spansSegments({ prefix, suffix, modifier }: Part): boolean {
  return modifier !== "" && (prefix + suffix).includes("/");
}

/** Whether the group of a part can't match a slash. */
function staysInSegment(part: Part): boolean {
  if (part.type !== "regexp") return part.type !== "wildcard";
  const regexp = simpleRegExp(part);
  return regexp !== null && !canMatch(regexp, SLASH);
}

class Cutter {
  readonly #parts: readonly Part[];
  readonly #segments: Segment[] = [];
  /** The segment that is being read; `null` before there was a slash. */
  #segment: Part[] | null = null;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  cut(): PathForm {
    const [first] = this.#parts;
    if (first !== undefined && !first.prefix.startsWith("/")) {
      return { segments: [], rest: this.#restAt(0) };
    }
    for (const [index, part] of this.#parts.entries()) {
      if (part.modifier === "") this.#addText(part.prefix);
      const rest = this.#restAt(index);
      if (rest !== null) return { segments: this.#segments, rest };
      if (part.modifier !== "") this.#segment!.push(part);
      else if (part.type !== "text") {
        this.#segment!.push({ ...part, prefix: "", suffix: "" });
        this.#addText(part.suffix);
      }
    }
    this.#endSegment();
    return { segments: this.#segments, rest: null };
  }

  /** What takes the rest of the path, if it begins with or before a part. */
  #restAt(index: number): Rest | null {
    const part = this.#parts[index]!;
    const { type, name, prefix, suffix, modifier } = part;
    const last = index === this.#parts.length - 1;
    if (last && suffix === "" && type === "wildcard" && modifier === "") {
      const segment = this.#segment ?? [];
      const slash = this.#segment === null ? "" : "/";
      if (segment.every(isFixed)) {
        return { kind: "anything", name, text: slash + textOf(segment) };
      }
    }
    const inSegment = staysInSegment(part) && !spansSegments(part);
    if (inSegment && this.#segment !== null) return null;
    if (modifier === "+" && prefix.startsWith("/")) {
      this.#endSegment();
      const plain = last && type === "segment" && prefix + suffix === "/";
      if (plain) return { kind: "segments", name };
    }
    const others = this.#parts.slice(index + 1);
    // Text before a group without a modifier is in the segment already.
    const first = modifier === "" ? { ...part, prefix: "" } : part;
    const parts = this.#segment === null
      ? [part, ...others]
      : [textPart("/"), ...this.#segment, first, ...others];
    return parts.some(needsPlatform)
      ? { kind: "platform" }
      : { kind: "parts", parts };
  }

  #addText(text: string): void {
    const [first = "", ...others] = text.split("/");
    if (first !== "") (this.#segment ??= []).push(textPart(first));
    for (const other of others) {
      this.#endSegment();
      this.#segment = other === "" ? [] : [textPart(other)];
    }
  }

  #endSegment(): void {
    const segment = this.#segment;
    this.#segment = null;
    if (segment === null) return;
    const [first, second] = segment;
    if (segment.every(isFixed)) {
      this.#segments.push({ kind: "fixed", text: textOf(segment) });
    } else if (
      second === undefined && first!.type === "segment" &&
      first!.modifier === ""
    ) {
      this.#segments.push({ kind: "param", name: first!.name });
    } else {
      this.#segments.push({ kind: "mixed", parts: segment });
    }
  }
}

function textPart(text: string): Part {
  const part = { type: "text", name: "", source: "", suffix: "" } as const;
  return { ...part, prefix: text, modifier: "" };
}

function textOf(segment: readonly Part[]): string {
  return segment.map(({ prefix }) => prefix).join("");
}

function isFixed({ type, modifier }: Part): boolean {
  return type === "text" && modifier === "";
}

/** Whether a part has a regexp group that only the platform understands. */
export function needsPlatform(part: Part): boolean {
  return part.type === "regexp" && simpleRegExp(part) === null;
}

function simpleRegExp(part: Part): SimpleRegExp | null {
  const { source, prefix, suffix, modifier } = part;
  const regexp = parseSimpleRegExp(source);
  const repeated = (modifier === "*" || modifier === "+") &&
    prefix + suffix === "";
  return regexp !== null && repeated && canBeEmpty(regexp) ? null : regexp;
}
