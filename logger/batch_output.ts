import type { RequestContext } from "../router/mod.ts";
import { Batch, report } from "./_batch.ts";
import { waitUntilOf } from "./_workers.ts";

/** Options for {@linkcode batchOutput}. */
export interface BatchOutputOptions {
  /**
   * How much is collected before it is written at once, in characters; in the
   * named formats each is a byte.
   *
   * @default {16_384}
   */
  readonly bytes?: number;

  /**
   * How long a line waits at most, in milliseconds.
   *
   * @default {1_000}
   */
  readonly ms?: number;

  /**
   * Writes collected lines, each with its newline. If it throws or rejects,
   * `console.error` reports it, and the lines are written once more, with the
   * next ones after `ms`. If that fails too, they are dropped, and
   * `console.error` reports their number.
   *
   * @param text The lines.
   * @default {console.log, without the last newline}
   */
  readonly flush?: (text: string) => void | Promise<void>;

  /**
   * How long `flush` may take, in milliseconds. What takes longer is reported by
   * `console.error`, and the next lines are written without waiting for it.
   *
   * @default {10_000}
   */
  readonly timeout?: number;

  /**
   * The most that waits while `flush` works or after it failed, in characters.
   * Lines beyond that are dropped, and `console.error` reports their number.
   *
   * @default {1_048_576}
   */
  readonly maxWaiting?: number;
}

/** An output for the `output` option of `logger` that writes many lines at once. */
export interface BatchOutput extends AsyncDisposable {
  /**
   * Takes a line.
   *
   * @param message The line, without a newline.
   */
  (message: string): void;
  /**
   * Writes what was collected. Call it before the process ends. Lines that
   * fail are tried once more at once.
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
  /** Does what `flush` does, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates an output that collects lines and writes them together, which costs
 * a fraction of writing each.
 *
 * On Workers the logger keeps the request's `ctx` waiting until its line is
 * written. Elsewhere call `flush` before the process ends.
 *
 * @example Two lines in one go
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { batchOutput } from "@gatehouse/web/logger-middleware";
 *
 * const written: string[] = [];
 * {
 *   await using output = batchOutput({ flush: (text) => void written.push(text) });
 *   output("one");
 *   output("two");
 * }
 * assertEquals(written, ["one\ntwo\n"]);
 * ```
 *
 * @param options When to write, and how.
 * @returns The output.
 * @throws {RangeError} If a bound is not a positive number, or a time is one that
 * no timer takes: 2,147,483,648 and more.
 */
export function batchOutput(options: BatchOutputOptions = {}): BatchOutput {
  const batch = new Batch(options);
  const output = (message: string) => batch.add(message);
  if (options.flush === undefined) printing.add(output);
  return Object.assign(output, {
    flush: () => batch.flush(),
    settled: () => batch.settled(),
    [Symbol.asyncDispose]: () => batch.flush(),
  });
}

/** The outputs that print on the console. */
const printing = /* @__PURE__ */ new WeakSet<(message: string) => void>();

/** Whether what an output is given ends on the console. */
export function isConsoleOutput(output: (message: string) => void): boolean {
  return output === console.log || printing.has(output);
}

/** Hands a line to an output, which may be asynchronous, and may fail then. */
export function writeLine(
  output: ((message: string) => unknown) & Partial<BatchOutput>,
  line: string,
  context: RequestContext,
): void {
  const written = output(line);
  if (written instanceof Promise) written.catch(report);
  // A Worker must live until what was collected is written.
  if (output.settled === undefined) return;
  waitUntilOf(context)?.(output.settled());
}
