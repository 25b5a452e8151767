/** The methods of the console that the library calls. */
type Method = "error" | "info" | "log" | "warn";

/** The calls of a method of the console, which a test receives. */
export interface ConsoleCalls extends Disposable {
  /** The first argument of each call. */
  readonly printed: unknown[];
}

/**
 * Captures a method of the console until the end of its block. No option leads there:
 * the library prints warnings, and errors that it has no other way to report.
 *
 * @param onCall Receives each call instead.
 */
export function captureConsole(
  method: Method = "error",
  onCall: (value: unknown) => void = () => {},
): ConsoleCalls {
  const original = console[method];
  const printed: unknown[] = [];
  console[method] = (value: unknown) => {
    printed.push(value);
    onCall(value);
  };
  return {
    printed,
    [Symbol.dispose]() {
      console[method] = original;
    },
  };
}
