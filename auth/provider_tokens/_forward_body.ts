/** Limits of a response that is passed on. */
export interface BodyLimits {
  /** The most bytes. */
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
  const { idleTimeout, maxBytes, secret } = limits;
  const reader = source.getReader();
  const guard = new SecretGuard(secret);
  let size = 0;
  let isOver = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const end = (error?: unknown) => {
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    onEnd(error);
  };
  const fail = (error: unknown) => {
    if (isOver) return;
    end(error);
    controller.error(error);
    reader.cancel(error).catch(() => {});
  };
  const onAbort = () => fail(signal.reason);
  const onIdle = () => fail(timeoutError(`no data within ${idleTimeout} ms`));
  const read = async () => {
    const timer = setTimeout(onIdle, idleTimeout);
    try {
      return await reader.read();
    } finally {
      clearTimeout(timer);
    }
  };
  return new ReadableStream<Uint8Array>({
    start(created) {
      controller = created;
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    },
    async pull() {
      try {
        while (!isOver) {
          const { done, value } = await read();
          if (isOver) return;
          if (done) {
            const held = guard.flush();
            if (held.length > 0) controller.enqueue(held);
            end();
            return controller.close();
          }
          size += value.byteLength;
          if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
          const part = guard.pass(value);
          if (part.length > 0) return controller.enqueue(part);
        }
      } catch (error) {
        fail(error);
      }
    },
    cancel(reason) {
      if (!isOver) end();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
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

/** Creates the error of a limit of time. */
export function timeoutError(message: string): DOMException {
  return new DOMException(message, "TimeoutError");
}
