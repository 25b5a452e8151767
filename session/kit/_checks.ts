/** Fails a check of the kit: any runner shows the message. */
export class CheckError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "CheckError";
}

/** Fails unless two values are the same, objects by their JSON. */
export function expect(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  if (is === should) return;
  throw new CheckError(`${what}: expected ${should}, got ${is}`);
}

/** Fails unless a store returned a value. */
export function present<Value>(what: string, value: Value | null): Value {
  if (value !== null) return value;
  throw new CheckError(`${what}: expected a value, got null`);
}

/** Waits. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
