import type { Component } from "./components.ts";

/** Values that most groups match, tried one after the other in all of them. */
const VALUES = ["x", "1", "X", ""];

/**
 * Returns `true` if a `URLPattern` was created with `ignoreCase`. No property
 * tells, so the function tests it with a URL and the same URL in the other
 * case.
 *
 * @throws {TypeError} If no URL is found that the pattern matches; the message
 * is the reason.
 */
export function ignoresCase(
  pattern: URLPattern,
  components: readonly Component[],
): boolean {
  for (const value of VALUES) {
    const sample = sampleOf(components, value, (text) => text);
    if (!pattern.test(sample)) continue;
    return pattern.test(sampleOf(components, value, withOtherCase));
  }
  throw new TypeError(
    "a URLPattern does not tell whether it ignores case: set the option ignoreCase",
  );
}

/** Fills the groups of a pattern, and changes its fixed text. */
function sampleOf(
  components: readonly Component[],
  value: string,
  change: (text: string) => string,
): URLPatternInit {
  return Object.fromEntries(
    components.map(({ name, parts }) => [
      name,
      parts.map(({ type, prefix, suffix }) =>
        change(prefix) + (type === "text" ? "" : value) + change(suffix)
      ).join(""),
    ]),
  );
}

function withOtherCase(text: string): string {
  const upper = text.toUpperCase();
  return text === upper ? text.toLowerCase() : upper;
}
