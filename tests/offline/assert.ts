/**
 * Replaces `@std/assert` if JSR is unreachable, with the functions that the
 * tests use. It does not use `node:assert`, because the same tests run in
 * Workers.
 */
import { isEqualWith, isPlainObject } from "npm:es-toolkit@1.53.2/predicate";

type Class<T> = abstract new (...args: never[]) => T;

/** Thrown by every assertion that fails. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Fails always. */
export function fail(message?: string): never {
  throw new AssertionError(message ? `Failed: ${message}` : "Failed");
}

/** Fails unless the value is truthy. */
export function assert(value: unknown, message = ""): asserts value {
  if (!value) throw new AssertionError(message);
}

/** Fails unless the value is falsy. */
export function assertFalse(value: unknown, message?: string): void {
  demand(!value, () => "Expected a falsy value", message);
}

/** Fails for `null` and `undefined`. */
export function assertExists<T>(
  value: T,
  message?: string,
): asserts value is NonNullable<T> {
  demand(
    value !== null && value !== undefined,
    () => "Expected a value",
    message,
  );
}

/** Fails unless the values are deeply equal. */
export function assertEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  const text = () => `Values are not equal:\n${diff(actual, expected)}\n`;
  demand(isEqual(actual, expected), text, message);
}

/** Throws if the values are deeply equal. */
export function assertNotEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  const text = () => differ(actual, expected, "to differ from");
  demand(!isEqual(actual, expected), text, message);
}

/** Fails unless the values are the same one. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T {
  const text = () => differ(actual, expected, "to be the same as");
  demand(Object.is(actual, expected), text, message);
}

/** Fails unless the first value is greater. */
export function assertGreater<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  const text = () => differ(actual, expected, "to be greater than");
  demand(actual > expected, text, message);
}

/** Fails unless the first value is less. */
export function assertLess<T>(actual: T, expected: T, message?: string): void {
  const text = () => differ(actual, expected, "to be less than");
  demand(actual < expected, text, message);
}

/** Throws unless the string matches. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  message?: string,
): void {
  const text = () => differ(actual, expected, "to match");
  demand(expected.test(actual), text, message);
}

/** Throws unless the string contains the other one. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  message?: string,
): void {
  const text = () => differ(actual, expected, "to contain");
  demand(actual.includes(expected), text, message);
}

/** Throws unless the array has a deeply equal element for each expected one. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  message?: string,
): void {
  const found = Array.from(expected).every((wanted) =>
    Array.from(actual).some((element) => isEqual(element, wanted))
  );
  demand(found, () => differ(actual, expected, "to include"), message);
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expected: Class<T>,
  message?: string,
): asserts actual is T {
  const text = () =>
    `Expected ${show(actual)} to be an instance of ${expected.name}`;
  demand(actual instanceof expected, text, message);
}

/** Fails unless the function throws. */
export function assertThrows(fn: () => unknown, message?: string): unknown;
/** Fails unless the function throws such an error, which it returns. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  expected: Class<E>,
  includes?: string,
  message?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  ...expectation: Expectation
): unknown {
  try {
    fn();
  } catch (error) {
    return checkThrown(error, expectation);
  }
  throw new AssertionError("Expected function to throw");
}

/** Fails unless the promise of the function rejects. */
export function assertRejects(
  fn: () => PromiseLike<unknown>,
  message?: string,
): Promise<unknown>;
/** Fails unless the promise rejects with such an error, which it gives. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  expected: Class<E>,
  includes?: string,
  message?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  ...expectation: Expectation
): Promise<unknown> {
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch {
    throw new AssertionError("Function throws when expected to reject");
  }
  try {
    await promise;
  } catch (error) {
    return checkThrown(error, expectation);
  }
  throw new AssertionError("Expected function to reject");
}

type Expectation = [
  expected?: Class<Error> | string,
  includes?: string,
  message?: string,
];

function checkThrown(
  error: unknown,
  [expected, includes = "", message]: Expectation,
): unknown {
  if (typeof expected !== "function") return error;
  assertInstanceOf(error, Error, message);
  assertInstanceOf(error, expected, message);
  assertStringIncludes(error.message, includes, message);
  return error;
}

function demand(
  holds: boolean,
  describe: () => string,
  message?: string,
): asserts holds {
  if (holds) return;
  const text = describe();
  throw new AssertionError(message ? `${text}: ${message}` : text);
}

function differ(actual: unknown, expected: unknown, verb: string): string {
  return `Expected\n${show(actual)}\n${verb}\n${show(expected)}\n`;
}

/** The most comparisons of lines for a diff. */
const MOST_COMPARISONS = 1_000_000;

/** Lines around a difference that are printed. */
const AROUND = 3;

/**
 * Describes the lines of two values: "-" before those of the actual value only,
 * "+" before those of the expected value only.
 */
function diff(actual: unknown, expected: unknown): string {
  const isText = [actual, expected].every((value) => typeof value === "string");
  const isLong = isText && `${actual}${expected}`.includes("\n");
  const [a = [], b = []] = [actual, expected].map((value) =>
    (isLong ? String(value) : show(value)).split("\n")
  );
  if (a.join() === b.join()) return `Both look like this:\n\n${show(actual)}`;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const shorter = Math.min(a.length, b.length) - start;
  while (end < shorter && a.at(-1 - end) === b.at(-1 - end)) end++;
  const changes = diffLines(
    a.slice(start, a.length - end),
    b.slice(start, b.length - end),
  );
  const before = a.slice(0, start).map((line) => `  ${line}`);
  const after = a.slice(a.length - end).map((line) => `  ${line}`);
  return shorten([
    "- actual",
    "+ expected",
    "",
    ...before,
    ...changes,
    ...after,
  ])
    .join("\n");
}

/** Keeps as many common lines as possible: the longest common subsequence. */
function diffLines(a: readonly string[], b: readonly string[]): string[] {
  const removed = (lines: readonly string[]) => lines.map((one) => `- ${one}`);
  const added = (lines: readonly string[]) => lines.map((one) => `+ ${one}`);
  if (a.length * b.length > MOST_COMPARISONS) {
    return [...removed(a), ...added(b)];
  }
  // lengths[i][j] is the number of lines that a[i..] and b[j..] have in common.
  const lengths = Array.from(
    { length: a.length + 1 },
    () => new Array<number>(b.length + 1).fill(0),
  );
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j]
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) lines.push(`  ${a[i++]}`), j++;
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) {
      lines.push(`- ${a[i++]}`);
    } else lines.push(`+ ${b[j++]}`);
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))];
}

/** Leaves out common lines that are far from a difference. */
function shorten(lines: readonly string[]): string[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1)
      .some((line) => /^[-+]/.test(line));
  return lines.flatMap((line, at) => {
    if (isNear(at)) return [line];
    return at > 0 && isNear(at - 1) ? ["  …"] : [];
  });
}

/** Describes a value with one line for each member. */
function show(value: unknown): string {
  if ("Deno" in globalThis) {
    return Deno.inspect(value, {
      compact: false,
      depth: 9,
      iterableLimit: 1_000,
      sorted: true,
      strAbbreviateSize: 10_000,
      trailingComma: true,
    });
  }
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return String(value);
  }
}

/**
 * Compares deeply, including the platform's own collections. Values that
 * `@std/assert` distinguishes are never equal here.
 */
function isEqual(a: unknown, b: unknown): boolean {
  return isEqualWith(a, b, (x, y) => {
    if (x instanceof URL && y instanceof URL) return x.href === y.href;
    if (isEntries(x) && isEntries(y)) return isEqual([...x], [...y]);
    if (isInstance(x)) return x === y;
    if (isUneven(x) || isUneven(y)) return isEqual({ ...x }, { ...y });
  });
}

/** Returns `true` if an object may have hidden state, as errors do. */
function isInstance(value: unknown): boolean {
  const tag = Object.prototype.toString.call(value);
  return /Object|Error|DataView|String/.test(tag) && !isPlainObject(value);
}

/** Returns `true` if an array has holes or extra properties. */
function isUneven(value: unknown): value is object {
  return Array.isArray(value) && Object.keys(value).length !== value.length;
}

function isEntries(
  value: unknown,
): value is Headers | URLSearchParams | FormData {
  return value instanceof Headers || value instanceof URLSearchParams ||
    value instanceof FormData;
}
