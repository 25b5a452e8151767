import { Platform, type RequestContext } from "../router/mod.ts";

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
 * @throws {RangeError} If a bound is not a positive number.
 */
export function batchOutput(options: BatchOutputOptions = {}): BatchOutput {
  const batch = new Batch(options);
  const output = (message: string) => batch.add(message);
  return Object.assign(output, {
    flush: () => batch.flush(),
    settled: () => batch.settled(),
    [Symbol.asyncDispose]: () => batch.flush(),
  });
}

class Batch {
  readonly #bytes: number;
  readonly #ms: number;
  readonly #maxWaiting: number;
  readonly #write: (text: string) => void | Promise<void>;
  #text = "";
  #lines = 0;
  #dropped = 0;
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The write at work; it never rejects. */
  #writing: Promise<void> | undefined;
  /** Settles when all that is collected now is written. */
  #settled: PromiseWithResolvers<void> | undefined;

  constructor(options: BatchOutputOptions) {
    const { bytes = 16_384, ms = 1_000, maxWaiting = 1_048_576 } = options;
    this.#bytes = positive("bytes", bytes);
    this.#ms = positive("ms", ms);
    this.#maxWaiting = positive("maxWaiting", maxWaiting);
    this.#write = options.flush ?? ((text) => console.log(text.slice(0, -1)));
  }

  add(message: string): void {
    if (this.#text.length + message.length >= this.#maxWaiting) {
      this.#dropped++;
      return;
    }
    if (this.#text === "") {
      this.#due = Date.now() + this.#ms;
      this.#timer ??= setTimeout(() => this.flush(), this.#ms);
    }
    this.#text += message + "\n";
    if (this.#writing === undefined && this.#isDue()) this.#begin();
  }

  /** Looks at the clock too: a Worker drops the timers of an ended request. */
  #isDue(): boolean {
    if (this.#text.length >= this.#bytes) return true;
    // To look each time would cost more than to take the line.
    return ++this.#lines % 8 === 0 && Date.now() >= this.#due;
  }

  settled(): Promise<void> {
    if (this.#text === "") return this.#writing ?? Promise.resolve();
    return (this.#settled ??= Promise.withResolvers()).promise;
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#text !== "") {
      if (this.#writing === undefined) this.#begin();
      await this.#writing;
    }
  }

  /** Writes what was collected, one write at a time to keep the order. */
  #begin(): void {
    const text = this.#text;
    const settled = this.#settled;
    this.#text = "";
    this.#settled = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const end = () => {
      this.#writing = undefined;
      this.#reportDropped();
      settled?.resolve();
      if (this.#text.length >= this.#bytes) this.#begin();
    };
    try {
      const written = this.#write(text);
      if (written === undefined) return end();
      this.#writing = written.catch(report).then(end);
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
function report(problem: unknown): void {
  console.error(problem);
}

/** Keeps a Worker alive until the output has written what it collected. */
export function keepAlive(
  output: ((message: string) => void) & Partial<BatchOutput>,
  context: RequestContext,
): void {
  if (output.settled === undefined) return;
  const execution = context.get(Platform)[1] as
    | { waitUntil?: (promise: Promise<void>) => void }
    | null
    | undefined;
  execution?.waitUntil?.(output.settled());
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new RangeError(
    `Cannot create batch output: ${name} "${value}" is not a positive number`,
  );
}
