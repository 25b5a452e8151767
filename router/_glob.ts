import type { Part } from "./_parse.ts";
import type { GroupMatcher } from "./_program.ts";

/**
 * Fixed texts with params between them. Searching each text from the left
 * gives the groups of URLPattern's lazy expression: if a later place would do
 * then so does the first one, because it leaves more to the texts behind it.
 */
export class Glob implements GroupMatcher {
  /** The names of the params. */
  readonly names: string[] = [];
  /** The texts before, between and after the params. */
  readonly #texts: string[] = [""];

  /**
   * Creates it from the parts of a segment, one param at least.
   *
   * @param parts Texts and params without modifiers.
   */
  constructor(parts: readonly Part[]) {
    for (const { type, name, prefix } of parts) {
      if (type === "text") {
        this.#texts[this.names.length] += prefix;
      } else {
        this.names.push(name);
        this.#texts.push("");
      }
    }
  }

  /**
   * Matches all of a part of a text.
   *
   * @param marks Receives start and end of each param.
   * @param offset Where in `marks` to begin.
   */
  run(
    text: string,
    start: number,
    end: number,
    marks: number[],
    offset: number,
  ): boolean {
    const texts = this.#texts;
    const last = texts.length - 1;
    const stop = end - texts[last]!.length;
    if (!text.startsWith(texts[0]!, start)) return false;
    if (!text.startsWith(texts[last]!, stop)) return false;
    let at = start + texts[0]!.length;
    for (let i = 1; i < last; i++) {
      const found = text.indexOf(texts[i]!, at + 1);
      if (found < 0 || found >= stop) return false;
      marks[offset++] = at;
      marks[offset++] = found;
      at = found + texts[i]!.length;
    }
    marks[offset++] = at;
    marks[offset] = stop;
    return at < stop;
  }
}
