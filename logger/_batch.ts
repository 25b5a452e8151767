import { checkPositive, MAX_TIMEOUT } from "../router/internal.ts";
import type { BatchOutputOptions } from "./batch_output.ts";

/** Lines that are written together. */
class Chunk {
  lines: string[] = [];
  /** The length of the lines with their newlines. */
  length = 0;
  /** The number of lines, from the first, that failed once. */
  retried = 0;
  /** The time to start its write, then the time to stop waiting for it. */
  due = 0;
  timer: ReturnType<typeof setTimeout> | undefined;
  // On Workers, a promise must be created by the request that waits for it.
  /** Resolves when its write ends, successful or not. */
  ended: PromiseWithResolvers<void> | undefined;
  /** Resolves when its lines are written or dropped. */
  settled: PromiseWithResolvers<void> | undefined;

  setDue(ms: number, onDue: () => void): void {
    clearTimeout(this.timer);
    this.due = Date.now() + ms;
    this.timer = setTimeout(() => {
      this.due = 0;
      onDue();
    }, ms);
  }
}

/** Collects lines and writes them, one write at a time to keep their order. */
export class Batch {
  readonly #limits: Required<Omit<BatchOutputOptions, "flush">>;
  readonly #write: (lines: readonly string[]) => void | Promise<void>;
  #next: Chunk = new Chunk();
  /** The chunk whose write has started and has not ended. */
  #writing: Chunk | undefined;
  /** The number of lines that found no room. */
  #dropped = 0;

  constructor(options: BatchOutputOptions) {
    const { flush, bytes = 16_384, maxWaiting = 1_048_576 } = options;
    const { ms = 1_000, timeout = 10_000 } = options;
    this.#limits = { bytes, maxWaiting, ms, timeout };
    checkPositive("batch output", "bytes", bytes);
    checkPositive("batch output", "maxWaiting", maxWaiting);
    checkPositive("batch output", "ms", ms, MAX_TIMEOUT);
    checkPositive("batch output", "timeout", timeout, MAX_TIMEOUT);
    this.#write = flush === undefined
      ? (lines) => console.log(lines.join("\n"))
      : (lines) => flush(lines.join("\n") + "\n");
  }

  add(message: string): void {
    const length = message.length + 1;
    if (!this.#hasRoom(length)) this.#advance();
    if (!this.#hasRoom(length)) {
      this.#dropped++;
      if (this.#writing === undefined) this.#reportDropped();
      return;
    }
    const { lines } = this.#next;
    this.#next.length += length;
    if (lines.push(message) === 1) this.#schedule();
    // Workers drop the timers of an ended request. Looking at the clock for
    // each line would cost more than taking it.
    if (this.#isFull() || (lines.length % 8 === 0 && isDue(this.#next))) {
      this.#advance();
    }
  }

  async settled(): Promise<void> {
    const last = this.#next.length > 0 ? this.#next : this.#writing;
    if (last) await (last.settled ??= Promise.withResolvers()).promise;
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#next.length > 0) {
      this.#advance();
      const writing = this.#writing;
      if (writing) await (writing.ended ??= Promise.withResolvers()).promise;
    }
  }

  #hasRoom(length: number): boolean {
    return this.#next.length + length <= this.#limits.maxWaiting;
  }

  /** Lines that failed wait for their time: the cause needs time to pass. */
  #isFull(): boolean {
    const { length, retried } = this.#next;
    return length >= this.#limits.bytes && retried === 0;
  }

  #schedule(): void {
    this.#next.setDue(this.#limits.ms, () => this.#advance());
  }

  /** Starts a write unless one is in progress that may still end. */
  #advance(): void {
    if (this.#writing !== undefined && isDue(this.#writing)) {
      this.#succeed(this.#writing);
      // Last, because console.error may lead here and add a line.
      const { timeout } = this.#limits;
      report(`Cannot wait for the log: a write took over ${timeout} ms`);
    }
    if (this.#writing === undefined && this.#next.length > 0) this.#start();
  }

  #start(): void {
    const chunk = this.#writing = this.#next;
    this.#next = new Chunk();
    chunk.setDue(this.#limits.timeout, () => this.#advance());
    try {
      const written: unknown = this.#write(chunk.lines);
      if (written === undefined) return this.#succeed(chunk);
      Promise.resolve(written)
        .then(() => this.#succeed(chunk), (error) => this.#fail(chunk, error));
    } catch (error) {
      this.#fail(chunk, error);
    }
  }

  #succeed(chunk: Chunk): void {
    if (!this.#end(chunk)) return;
    chunk.settled?.resolve();
    if (this.#isFull() || isDue(this.#next)) this.#advance();
  }

  /** Keeps lines that failed for the first time, and drops the others. */
  #fail(chunk: Chunk, error: unknown): void {
    report(error);
    const { lines, retried, settled } = chunk;
    const kept = lines.slice(retried);
    const length = kept.reduce((sum, line) => sum + line.length + 1, 0);
    // A write that was given up has ended already.
    if (!this.#end(chunk) || length === 0 || !this.#hasRoom(length)) {
      settled?.resolve();
      return reportLost(lines.length);
    }
    const next = this.#next;
    next.lines = [...kept, ...next.lines];
    next.length += length;
    next.retried = kept.length;
    if (settled) {
      next.settled ??= Promise.withResolvers();
      next.settled.promise.then(settled.resolve);
    }
    this.#schedule();
    reportLost(retried);
  }

  /** Ends a write. Returns `false` if it ended before. */
  #end(chunk: Chunk): boolean {
    if (this.#writing !== chunk) return false;
    clearTimeout(chunk.timer);
    this.#writing = undefined;
    this.#reportDropped();
    chunk.ended?.resolve();
    return true;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    report(`Cannot keep up with the log: dropped ${this.#dropped} lines`);
    this.#dropped = 0;
  }
}

function isDue({ due }: Chunk): boolean {
  return Date.now() >= due;
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
