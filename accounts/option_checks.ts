/** The rule of an option in words, and the function that checks its value. */
export type OptionCheck = readonly [
  rule: string,
  isValid: (value: unknown) => boolean,
];

/** The check of a function. */
export const FUNCTION: OptionCheck = [
  "a function",
  (value) => typeof value === "function",
];

/** The check of an object with options. */
export const OBJECT: OptionCheck = ["an object", isObject];

/** Creates the check of an array. */
export function arrayOf(
  rule: string,
  isValid: (item: unknown) => boolean,
): OptionCheck {
  return [
    `an array of ${rule}`,
    (value) => Array.isArray(value) && value.every(isValid),
  ];
}

/** Creates the check of an option with a few values. */
export function oneOf(...values: readonly string[]): OptionCheck {
  const rule = values.map((value) => `"${value}"`).join(" or ");
  return [rule, (value) => values.includes(value as string)];
}

/** Returns `true` for an object that is not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks the options that have a value. The message names the option, and never
 * contains its value, which may be a secret.
 *
 * @throws {TypeError} If a value is invalid.
 */
export function checkOptions(
  verb: string,
  options: object,
  checks: Readonly<Record<string, OptionCheck>>,
  prefix = "",
): void {
  for (const [name, [rule, isValid]] of Object.entries(checks)) {
    const value = (options as Record<string, unknown>)[name];
    if (value === undefined || isValid(value)) continue;
    throw new TypeError(`Cannot ${verb}: ${prefix}${name} is not ${rule}`);
  }
}
