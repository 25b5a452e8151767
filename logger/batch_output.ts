import type { RequestContext } from "../router/mod.ts";
import { waitUntilOf } from "./_wait_until.ts";

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
   * Writes collected lines, each with its newline.
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
   * How much waits at most while `flush` is at work, in characters. Lines
   * beyond that are dropped, and counted by `console.error`.
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
   * Writes what was collected. Call it before the process ends.
   *
   * @returns A promise for the moment when it is written.
   */
  flush(): Promise<void>;
  /**
   * Waits until what was collected is written, without hurrying it.
   *
   * @returns A promise for that moment.
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
export function prints(output: (message: string) => void): boolean {
  return output === console.log || printing.has(output);
}

/** A write that has begun, and has not ended. */
interface Write {
  /** Settles at its end; it never rejects. */
  readonly ended: Promise<void>;
  /** When it takes too long. */
  readonly due: number;
  /** Goes on without it. */
  giveUp(): void;
}

class Batch {
  readonly #bytes: number;
  readonly #ms: number;
  readonly #timeout: number;
  readonly #maxWaiting: number;
  readonly #write: (lines: readonly string[]) => void | Promise<void>;
  #lines: string[] = [];
  /** Of the lines, with their newlines. */
  #length = 0;
  #dropped = 0;
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The write at work. */
  #writing: Write | undefined;
  /** Settles when all that is collected now is written. */
  #settled: PromiseWithResolvers<void> | undefined;

  constructor(options: BatchOutputOptions) {
    const { bytes = 16_384, ms = 1_000, timeout = 10_000 } = options;
    const { flush, maxWaiting = 1_048_576 } = options;
    this.#bytes = positive("bytes", bytes);
    this.#ms = positive("ms", ms, LONGEST_TIMER);
    this.#timeout = positive("timeout", timeout, LONGEST_TIMER);
    this.#maxWaiting = positive("maxWaiting", maxWaiting);
    this.#write = flush === undefined
      ? (lines) => console.log(lines.join("\n"))
      : (lines) => flush(lines.join("\n") + "\n");
  }

  add(message: string): void {
    let length = this.#length + message.length + 1;
    if (length > this.#maxWaiting) {
      this.#advance();
      length = this.#length + message.length + 1;
    }
    if (length > this.#maxWaiting) {
      this.#dropped++;
      if (this.#writing === undefined) this.#reportDropped();
      return;
    }
    this.#length = length;
    if (this.#lines.push(message) === 1) {
      this.#due = Date.now() + this.#ms;
      this.#timer ??= setTimeout(() => this.flush(), this.#ms);
    }
    if (this.#isDue()) this.#advance();
  }

  /** Looks at the clock too: a Worker drops the timers of an ended request. */
  #isDue(): boolean {
    if (this.#length >= this.#bytes) return true;
    // To look each time would cost more than to take the line.
    return this.#lines.length % 8 === 0 && Date.now() >= this.#due;
  }

  settled(): Promise<void> {
    if (this.#length === 0) return this.#writing?.ended ?? Promise.resolve();
    return (this.#settled ??= Promise.withResolvers()).promise;
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#length > 0) {
      this.#advance();
      await this.#writing?.ended;
    }
  }

  /** Begins a write, unless one is at work that may still end. */
  #advance(): void {
    // By the clock too, for the timer may be dropped.
    if (this.#writing && Date.now() >= this.#writing.due) {
      this.#writing.giveUp();
    }
    if (this.#writing === undefined && this.#length > 0) this.#begin();
  }

  /** Writes what was collected, one write at a time to keep the order. */
  #begin(): void {
    const lines = this.#lines;
    const { promise, resolve } = this.#settled ?? Promise.withResolvers<void>();
    this.#lines = [];
    this.#length = 0;
    this.#settled = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      // It may have been given up before.
      if (this.#writing !== write) return;
      clearTimeout(timer);
      this.#writing = undefined;
      this.#reportDropped();
      resolve();
      if (this.#length >= this.#bytes) this.#advance();
    };
    const giveUp = () => {
      end();
      // Afterwards, for it may come back as a line.
      report(`Cannot wait for the log: a write took over ${this.#timeout} ms`);
    };
    const due = Date.now() + this.#timeout;
    const write: Write = this.#writing = { ended: promise, due, giveUp };
    try {
      const written: unknown = this.#write(lines);
      if (written === undefined) return end();
      timer = setTimeout(giveUp, this.#timeout);
      Promise.resolve(written).catch(report).then(end);
    } catch (error) {
      report(error);
      end();
    }
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    report(`Cannot keep up with the log: dropped ${this.#dropped} lines`);
    this.#dropped = 0;
  }
}

/** The log itself can't tell what is wrong with it. */
export function report(problem: unknown): void {
  console.error(problem);
}

/** Hands a line to an output, which may be asynchronous, and may fail then. */
export function hand(
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

/** What timers can wait for, in milliseconds: they begin anew beyond it. */
const LONGEST_TIMER = 2 ** 31 - 1;

function positive(name: string, value: number, most = Infinity): number {
  if (value > 0 && value <= most) return value;
  const bound = most === Infinity ? "" : ` up to ${most}`;
  throw new RangeError(
    `Cannot create batch output: ${name} "${value}" is not a positive number${bound}`,
  );
}
