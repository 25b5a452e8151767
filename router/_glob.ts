import type { Part } from "./_parse.ts";
import type { GroupMatcher } from "./_program.ts";

/**
 * Matches fixed texts with params between them. Searching each text from the
 * left gives the groups of URLPattern's lazy expression: if a later place would
 * do then so does the first one, because it leaves more to the texts behind it.
 *
 * @param parts Texts and params without modifiers, one param at least.
 */
export function glob(parts: readonly Part[]): GroupMatcher {
  // The texts before, between and after the params.
  const texts = [""];
  for (const { type, prefix } of parts) {
    if (type === "text") texts[texts.length - 1] += prefix;
    else texts.push("");
  }
  const [first] = texts as [string];
  const last = texts.pop()!;
  return (text, start, end, marks, offset) => {
    const stop = end - last.length;
    if (!text.startsWith(first, start)) return -1;
    if (!text.startsWith(last, stop)) return -1;
    let at = start + first.length;
    for (let i = 1; i < texts.length; i++) {
      const found = text.indexOf(texts[i]!, at + 1);
      if (found < 0 || found >= stop) return -1;
      marks[offset++] = at;
      marks[offset++] = found;
      at = found + texts[i]!.length;
    }
    marks[offset++] = at;
    marks[offset++] = stop;
    return at < stop ? offset : -1;
  };
}
