/** Limits of a response that is passed on. */
export interface BodyLimits {
  /** The maximum number of bytes. */
  readonly maxBytes: number;
  /** The longest time between two parts, in milliseconds. */
  readonly idleTimeout: number;
  /** A string that the body must not contain. */
  readonly secret: string;
}

/**
 * Passes the body of a response as fast as it is read. It fails beyond a limit,
 * and if it contains the secret.
 *
 * @param source The body.
 * @param limits The limits.
 * @param signal Ends the body with an error.
 * @param onEnd Called once, with the error if there is one.
 */
export function limitBody(
  source: ReadableStream<Uint8Array>,
  limits: BodyLimits,
  signal: AbortSignal,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const body = new LimitedBody(source, limits, signal, onEnd);
  return new ReadableStream<Uint8Array>(body, { highWaterMark: 0 });
}

class LimitedBody implements UnderlyingDefaultSource<Uint8Array> {
  readonly #limits: BodyLimits;
  readonly #signal: AbortSignal;
  readonly #onEnd: (error?: unknown) => void;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #guard: SecretGuard;
  readonly #onAbort = () => this.#fail(this.#signal.reason);
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #size = 0;
  #isOver = false;

  constructor(
    source: ReadableStream<Uint8Array>,
    limits: BodyLimits,
    signal: AbortSignal,
    onEnd: (error?: unknown) => void,
  ) {
    this.#limits = limits;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#reader = source.getReader();
    this.#guard = new SecretGuard(limits.secret);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#signal.addEventListener("abort", this.#onAbort);
    if (this.#signal.aborted) this.#onAbort();
  }

  async pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    try {
      while (!this.#isOver) {
        const { done, value } = await this.#read();
        if (this.#isOver) return;
        const part = done ? this.#guard.flush() : this.#pass(value);
        if (part.length > 0) controller.enqueue(part);
        if (done) {
          this.#end();
          return controller.close();
        }
        if (part.length > 0) return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  cancel(reason: unknown): Promise<void> {
    if (!this.#isOver) this.#end();
    return this.#reader.cancel(reason);
  }

  async #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const { idleTimeout } = this.#limits;
    const onIdle = () =>
      this.#fail(timeoutError(`no data within ${idleTimeout} ms`));
    const timer = setTimeout(onIdle, idleTimeout);
    try {
      return await this.#reader.read();
    } finally {
      clearTimeout(timer);
    }
  }

  #pass(part: Uint8Array): Uint8Array {
    const { maxBytes } = this.#limits;
    this.#size += part.byteLength;
    if (this.#size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    return this.#guard.pass(part);
  }

  #end(error?: unknown): void {
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#onEnd(error);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end(error);
    this.#controller!.error(error);
    this.#reader.cancel(error).catch(() => {});
  }
}

/** The shortest token that is searched. A shorter one could occur by chance. */
const MIN_SECRET = 16;

/** Returns `true` if a string contains the secret. */
export function containsSecret(text: string, secret: string): boolean {
  return secret.length >= MIN_SECRET && text.includes(secret);
}

/**
 * Finds a string in consecutive parts of a body. It holds back the end of a part
 * that could be the beginning of the string: a page must not get all but the last
 * character.
 */
class SecretGuard {
  readonly #secret: string;
  #held: Uint8Array = new Uint8Array();

  constructor(secret: string) {
    this.#secret = secret.length < MIN_SECRET ? "" : secret;
  }

  /** Returns what may be passed on. Throws if the body contains the secret. */
  pass(part: Uint8Array): Uint8Array {
    const secret = this.#secret;
    const bytes = new Uint8Array(this.#held.length + part.length);
    bytes.set(this.#held);
    bytes.set(part, this.#held.length);
    const text = new TextDecoder("latin1").decode(bytes);
    if (containsSecret(text, secret)) {
      throw new Error("it contains the access token");
    }
    let length = Math.min(text.length, Math.max(0, secret.length - 1));
    while (length > 0 && !secret.startsWith(text.slice(-length))) length--;
    this.#held = bytes.slice(bytes.length - length);
    return bytes.subarray(0, bytes.length - length);
  }

  /** Returns the rest at the end of the body. */
  flush(): Uint8Array {
    return this.#held;
  }
}

/** Creates a timeout error. */
export function timeoutError(message: string): DOMException {
  return new DOMException(message, "TimeoutError");
}
