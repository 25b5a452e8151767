import type { CheckNode } from "../node.ts";

/** The codes of the checks that bound the length of a string. */
const BOUNDS: readonly string[] = ["max_length", "length"];

/**
 * Returns checks in which an expression of the application does not run on a
 * string that is too long: it may take quadratic time or more.
 */
export function boundPatterns(
  checks: readonly CheckNode<never>[],
): readonly CheckNode<never>[] {
  const bounds = checks.filter(({ code }) => BOUNDS.includes(code));
  if (bounds.length === 0) return checks;
  return checks.map((check) =>
    check.code !== "pattern" ? check : {
      ...check,
      test: (value: never) =>
        bounds.some((bound) => !bound.test(value)) || check.test(value),
    }
  );
}
