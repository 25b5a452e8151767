/** The error of a failed check. Any test runner shows its message. */
export class CheckError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "CheckError";
}

/** Throws if two values have different JSON. */
export function expect(name: string, actual: unknown, expected: unknown): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  if (is === should) return;
  throw new CheckError(`${name}: expected ${should}, got ${is}`);
}

/** Returns the value, or throws if it is `null`. */
export function expectValue<Value>(name: string, value: Value | null): Value {
  if (value !== null) return value;
  throw new CheckError(`${name}: expected a value, got null`);
}

/** Waits for a number of milliseconds. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
