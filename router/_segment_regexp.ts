import type { Part } from "./_parse.ts";
import type { GroupMatcher } from "./_program.ts";

/**
 * How long a text may be that a regexp group is tried on: the engine
 * backtracks, so longer ones do not match.
 */
export const MAX_REGEXP_LENGTH = 1024;

/** The parts of a segment that has regexp groups. */
export class SegmentRegExp implements GroupMatcher {
  readonly names: readonly string[];
  readonly #regexp: RegExp;

  /**
   * Creates it from the parts of a segment, as URLPattern would.
   *
   * @param folded Whether it reads lower-case text only.
   * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
   */
  constructor(parts: readonly Part[], folded: boolean) {
    this.names = parts.map(({ name }) => name).filter(Boolean);
    const source = parts.map(sourceOf).join("");
    this.#regexp = new RegExp(`^${source}$`, folded ? "diu" : "du");
  }

  run(
    text: string,
    start: number,
    end: number,
    marks: number[],
    offset: number,
  ): boolean {
    if (end - start > MAX_REGEXP_LENGTH) return false;
    const match = this.#regexp.exec(text.slice(start, end));
    if (match === null) return false;
    for (let i = 1; i < match.length; i++) {
      const [from, to] = match.indices![i] ?? [-1 - start, 0];
      marks[offset++] = start + from;
      marks[offset++] = start + to;
    }
    return true;
  }
}

function sourceOf({ type, source, prefix, suffix, modifier }: Part): string {
  const [before, behind] = [RegExp.escape(prefix), RegExp.escape(suffix)];
  if (type === "text") return `(?:${before})${modifier}`;
  const value = `(?:${source || "[^/]+?"})`;
  if (modifier === "" || modifier === "?") {
    return before + behind === ""
      ? `(${value})${modifier}`
      : `(?:${before}(${value})${behind})${modifier}`;
  }
  if (before + behind === "") return `(${value}${modifier})`;
  const all = `${before}(${value}(?:${behind}${before}${value})*)${behind}`;
  return modifier === "*" ? `(?:${all})?` : all;
}
