import type { Part } from "./_parse.ts";
import type { GroupMatcher } from "./_program.ts";
import { hasNoSlash, isRegExp, isRepeated, isWhole } from "./_segments.ts";

/** A text is not tried to be cut up in more places than this. */
const MAX_CUTS = 20;

/**
 * Makes what tells which texts are too long for the regular expression of some
 * parts, and do not match. The engine backtracks: it tries all places where each
 * group can end that has no segment of its own, and all ways to cut up what is
 * repeated without a slash between. They are some millions at most.
 */
export function lengthGuard(parts: readonly Part[]): (text: string) => boolean {
  const loose = parts.filter((part, index) =>
    part.type !== "text" && !isWhole(part, index, parts)
  );
  const groups = Math.max(loose.length, 1);
  const most = Math.min(
    parts.some(isRegExp) ? 1024 : Infinity,
    groups / 2 * 2 ** (26 / groups),
  );
  const repeated = loose.filter((part) =>
    isRepeated(part) &&
    !(hasNoSlash(part) && (part.suffix + part.prefix).includes("/"))
  );
  return (text) =>
    text.length > most || repeated.some((part) => hasManyCuts(part, text));
}

/** Whether a text can be cut up in many places for a part that repeats. */
function hasManyCuts(part: Part, text: string): boolean {
  const separator = (part.suffix + part.prefix).toLowerCase();
  const pieces = text.toLowerCase().split(hasNoSlash(part) ? "/" : "\0");
  return pieces.some((piece) => piece.split(separator).length > MAX_CUTS);
}

/**
 * Matches the parts of a segment that has regexp groups, as URLPattern would.
 *
 * @param given The parts. None repeats but a segment without text around it.
 * @param folded Whether it reads lower-case text only.
 * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
 */
export function segmentRegExp(
  given: readonly Part[],
  folded: boolean,
): GroupMatcher {
  // What repeats is a run of characters, for which there is one way only.
  const parts = given.map((part) =>
    isRepeated(part)
      ? { ...part, source: `[^/]${part.modifier}`, modifier: "" } as const
      : part
  );
  const source = parts.map(sourceOf).join("");
  const regexp = new RegExp(`^${source}$`, folded ? "diu" : "du");
  const isTooLong = lengthGuard(parts);
  return (text, start, end, marks, offset) => {
    const value = text.slice(start, end);
    const match = isTooLong(value) ? null : regexp.exec(value);
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
