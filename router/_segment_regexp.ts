import type { Part } from "./_parse.ts";
import type { GroupMatcher } from "./_program.ts";

/**
 * How long a text may be that a regexp group is tried on: the engine
 * backtracks, so longer ones do not match.
 */
export const MAX_REGEXP_LENGTH = 1024;

/**
 * Matches the parts of a segment that has regexp groups, as URLPattern would.
 *
 * @param parts None of them is there more than once.
 * @param folded Whether it reads lower-case text only.
 * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
 */
export function segmentRegExp(
  parts: readonly Part[],
  folded: boolean,
): GroupMatcher {
  const source = parts.map(sourceOf).join("");
  const regexp = new RegExp(`^${source}$`, folded ? "diu" : "du");
  return (text, start, end, marks, offset) => {
    if (end - start > MAX_REGEXP_LENGTH) return -1;
    const match = regexp.exec(text.slice(start, end));
    if (match === null) return -1;
    for (const range of match.indices!.slice(1)) {
      marks[offset++] = range ? start + range[0] : -1;
      marks[offset++] = range ? start + range[1] : -1;
    }
    return offset;
  };
}

function sourceOf({ type, source, prefix, suffix, modifier }: Part): string {
  const [before, behind] = [prefix, suffix].map(RegExp.escape);
  const group = type === "text" ? "" : `(${source || "[^/]+?"})`;
  return `(?:${before}${group}${behind})${modifier}`;
}
