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
  demand(!value, "Expected a falsy value", message);
}

/** Fails for `null` and `undefined`. */
export function assertExists<T>(
  value: T,
  message?: string,
): asserts value is NonNullable<T> {
  demand(value !== null && value !== undefined, "Expected a value", message);
}

/** Fails unless the values are deeply equal. */
export function assertEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  demand(isEqual(actual, expected), differ(actual, expected, "to be"), message);
}

/** Throws if the values are deeply equal. */
export function assertNotEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  const text = differ(actual, expected, "to differ from");
  demand(!isEqual(actual, expected), text, message);
}

/** Fails unless the values are the same one. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T {
  const text = differ(actual, expected, "to be the same as");
  demand(Object.is(actual, expected), text, message);
}

/** Fails unless the first value is greater. */
export function assertGreater<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  const text = differ(actual, expected, "to be greater than");
  demand(actual > expected, text, message);
}

/** Fails unless the first value is less. */
export function assertLess<T>(actual: T, expected: T, message?: string): void {
  demand(
    actual < expected,
    differ(actual, expected, "to be less than"),
    message,
  );
}

/** Throws unless the string matches. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  message?: string,
): void {
  demand(expected.test(actual), differ(actual, expected, "to match"), message);
}

/** Throws unless the string contains the other one. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  message?: string,
): void {
  const text = differ(actual, expected, "to contain");
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
  demand(found, differ(actual, expected, "to include"), message);
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expected: Class<T>,
  message?: string,
): asserts actual is T {
  const text = `Expected ${show(actual)} to be an instance of ${expected.name}`;
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

function demand(holds: boolean, text: string, message?: string): asserts holds {
  if (holds) return;
  throw new AssertionError(message ? `${text}: ${message}` : text);
}

function differ(actual: unknown, expected: unknown, verb: string): string {
  return `Expected\n${show(actual)}\n${verb}\n${show(expected)}\n`;
}

function show(value: unknown): string {
  if ("Deno" in globalThis) return Deno.inspect(value, { depth: 9 });
  try {
    return JSON.stringify(value) ?? String(value);
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
