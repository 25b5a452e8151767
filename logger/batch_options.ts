/** Options for {@linkcode batchOutput}. */
export interface BatchOutputOptions {
  /**
   * The length at which collected lines are written, in characters. In the
   * named formats each character is a byte.
   *
   * @default {16_384}
   */
  readonly bytes?: number;

  /**
   * The longest time that a line waits, in milliseconds.
   *
   * @default {1_000}
   */
  readonly ms?: number;

  /**
   * The place that lines are written to without `flush`. On Deno, `"stdout"`
   * writes them to the standard output directly. That takes less than half the
   * time, and keeps no lines in memory. However, OpenTelemetry and Deno Deploy
   * collect only the lines of `console.log`. Other runtimes call `console.log`
   * for both.
   *
   * @default {"console"}
   */
  readonly target?: "console" | "stdout";

  /**
   * Writes collected lines, each with its newline. If it throws or rejects,
   * `console.error` reports it, and the lines are written once more after `ms`,
   * before later ones. If that fails too, they are dropped, and `console.error`
   * reports their number.
   *
   * @param text The lines.
   * @default {console.log, without the last newline}
   */
  readonly flush?: (text: string) => void | Promise<void>;

  /**
   * The time limit of `flush`, in milliseconds. Beyond it, `console.error`
   * reports the delay, and the next lines are written without waiting.
   *
   * @default {10_000}
   */
  readonly timeout?: number;

  /**
   * The maximum length of the lines that wait while `flush` works or after it
   * failed, in characters. Lines beyond that are dropped, and `console.error`
   * reports their number.
   *
   * @default {1_048_576}
   */
  readonly maxWaiting?: number;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** An `output` for `logger` that writes many lines at once. */
export interface BatchOutput extends AsyncDisposable {
  /**
   * Collects a line.
   *
   * @param message The line, without a newline.
   */
  (message: string): void;
  /**
   * Writes the collected lines. Call it before the process ends. Lines that
   * fail are written once more at once.
   *
   * @returns A promise that resolves when all lines are written or dropped. It
   * never rejects.
   */
  flush(): Promise<void>;
  /**
   * Waits until the lines collected so far are written or dropped, without
   * writing them earlier.
   *
   * @returns A promise that resolves then. It never rejects.
   */
  settled(): Promise<void>;
  /** Calls `flush`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
