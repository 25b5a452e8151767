import type { Part } from "../pattern/parse.ts";
import type { GroupMatcher } from "./_program.ts";

/**
 * Matches fixed texts with params between them. Searching each text from the
 * left gives the groups of URLPattern's lazy expression: if a later place would
 * do then so does the first one, because it leaves more to the texts behind it.
 *
 * @param parts Params and texts, the first of which is a param.
 */
export function glob(parts: readonly Part[]): GroupMatcher {
  // The texts behind the params.
  const texts: string[] = [];
  for (const { type, prefix } of parts) {
    if (type === "text") texts[texts.length - 1] += prefix;
    else texts.push("");
  }
  const last = texts.pop()!;
  return (text, start, end, marks, offset) => {
    const stop = end - last.length;
    if (!text.startsWith(last, stop)) return -1;
    let at = start;
    for (const behind of texts) {
      const found = text.indexOf(behind, at + 1);
      if (found < 0 || found >= stop) return -1;
      marks[offset++] = at;
      marks[offset++] = found;
      at = found + behind.length;
    }
    marks[offset++] = at;
    marks[offset++] = stop;
    return at < stop ? offset : -1;
  };
}
