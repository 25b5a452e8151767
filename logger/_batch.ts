import { checkPositive, MAX_TIMEOUT } from "../router/internal.ts";
import type { BatchOutputOptions } from "./batch_output.ts";

/** A write that has started and has not ended. */
interface Write {
  readonly lines: readonly string[];
  /** The number of lines, from the first, that failed once before. */
  readonly retried: number;
  /** Resolves when the write ends, successful or not. */
  readonly ended: PromiseWithResolvers<void>;
  /** Resolves when its lines are written or dropped. */
  readonly settled: PromiseWithResolvers<void>;
  /** The time at which the write takes too long, in epoch milliseconds. */
  readonly due: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Collects lines and writes them, one write at a time to keep their order. */
export class Batch {
  readonly #bytes: number;
  readonly #ms: number;
  readonly #timeout: number;
  readonly #maxWaiting: number;
  readonly #write: (lines: readonly string[]) => void | Promise<void>;
  #lines: string[] = [];
  /** The length of the lines with their newlines. */
  #length = 0;
  /** The number of lines, from the first, that failed once. */
  #retried = 0;
  /** The number of lines that found no room. */
  #dropped = 0;
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Write | undefined;
  /** Resolves when the lines collected now are written or dropped. */
  #settled: PromiseWithResolvers<void> | undefined;

  constructor(options: BatchOutputOptions) {
    const { bytes = 16_384, ms = 1_000, timeout = 10_000 } = options;
    const { flush, maxWaiting = 1_048_576 } = options;
    this.#bytes = checkPositive("batch output", "bytes", bytes);
    this.#ms = checkPositive("batch output", "ms", ms, MAX_TIMEOUT);
    this.#timeout = checkPositive(
      "batch output",
      "timeout",
      timeout,
      MAX_TIMEOUT,
    );
    this.#maxWaiting = checkPositive("batch output", "maxWaiting", maxWaiting);
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
    if (this.#lines.push(message) === 1) this.#schedule();
    if (this.#isDue()) this.#advance();
  }

  settled(): Promise<void> {
    if (this.#length === 0) {
      return this.#writing?.settled.promise ?? Promise.resolve();
    }
    return (this.#settled ??= Promise.withResolvers()).promise;
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#length > 0) {
      this.#advance();
      await this.#writing?.ended.promise;
    }
  }

  #schedule(): void {
    this.#due = Date.now() + this.#ms;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#advance();
    }, this.#ms);
  }

  #isDue(): boolean {
    // Lines that failed wait for their time: the cause needs time to pass.
    if (this.#length >= this.#bytes && this.#retried === 0) return true;
    // Workers drop the timers of an ended request. Looking at the clock for
    // each line would cost more than taking it.
    return this.#lines.length % 8 === 0 && Date.now() >= this.#due;
  }

  /** Starts a write unless one is in progress that may still end. */
  #advance(): void {
    // The timer of the write may have been dropped too.
    if (this.#writing && Date.now() >= this.#writing.due) {
      this.#giveUp(this.#writing);
    }
    if (this.#writing === undefined && this.#length > 0) this.#start();
  }

  #start(): void {
    const write: Write = this.#writing = {
      lines: this.#lines,
      retried: this.#retried,
      ended: Promise.withResolvers(),
      settled: this.#settled ?? Promise.withResolvers(),
      due: Date.now() + this.#timeout,
      timer: undefined,
    };
    this.#lines = [];
    this.#length = 0;
    this.#retried = 0;
    this.#settled = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const written: unknown = this.#write(write.lines);
      if (written === undefined) return this.#succeed(write);
      write.timer = setTimeout(() => this.#giveUp(write), this.#timeout);
      Promise.resolve(written).then(
        () => this.#succeed(write),
        (error) => this.#fail(write, error),
      );
    } catch (error) {
      this.#fail(write, error);
    }
  }

  #succeed(write: Write): void {
    if (!this.#end(write)) return;
    write.settled.resolve();
    // Without a timer, the time of the lines came during the write.
    if (this.#length >= this.#bytes || this.#timer === undefined) {
      this.#advance();
    }
  }

  #giveUp(write: Write): void {
    this.#succeed(write);
    // Last, because console.error may lead here and add a line.
    report(`Cannot wait for the log: a write took over ${this.#timeout} ms`);
  }

  /** Keeps lines that failed for the first time, and drops the others. */
  #fail(write: Write, error: unknown): void {
    report(error);
    const { lines, retried } = write;
    const kept = lines.slice(retried);
    const length = kept.reduce((sum, line) => sum + line.length + 1, 0);
    // A write that was given up has ended already.
    if (
      !this.#end(write) || length === 0 ||
      this.#length + length > this.#maxWaiting
    ) {
      write.settled.resolve();
      return reportLost(lines.length);
    }
    this.#lines = [...kept, ...this.#lines];
    this.#length += length;
    this.#retried = kept.length;
    this.#settled ??= Promise.withResolvers();
    this.#settled.promise.then(write.settled.resolve);
    this.#schedule();
    reportLost(retried);
  }

  /** Ends a write. Returns `false` if it ended before. */
  #end(write: Write): boolean {
    if (this.#writing !== write) return false;
    clearTimeout(write.timer);
    this.#writing = undefined;
    this.#reportDropped();
    write.ended.resolve();
    return true;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    report(`Cannot keep up with the log: dropped ${this.#dropped} lines`);
    this.#dropped = 0;
  }
}

function reportLost(count: number): void {
  if (count > 0) report(`Cannot write log: dropped ${count} lines`);
}

/** Reports a problem of the log itself. It never throws. */
export function report(problem: unknown): void {
  try {
    console.error(problem);
  } catch {
    // A replaced console.error must not fail a request.
  }
}
