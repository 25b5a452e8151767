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
  const contains = createSearch(secret);
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
  return new ReadableStream<Uint8Array>({
    start(created) {
      controller = created;
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    },
    async pull() {
      const onIdle = () =>
        fail(timeoutError(`no data within ${idleTimeout} ms`));
      const timer = setTimeout(onIdle, idleTimeout);
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) {
          end();
          return controller.close();
        }
        size += value.byteLength;
        if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
        if (contains(value)) throw new Error("it contains the access token");
        controller.enqueue(value);
      } catch (error) {
        fail(error);
      } finally {
        clearTimeout(timer);
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

/** Creates a function that finds a string in consecutive parts of a body. */
function createSearch(secret: string): (part: Uint8Array) => boolean {
  const decoder = new TextDecoder("latin1");
  let rest = "";
  return (part) => {
    const text = rest + decoder.decode(part);
    rest = text.slice(1 - secret.length);
    return containsSecret(text, secret);
  };
}

/** Creates the error of a limit of time. */
export function timeoutError(message: string): DOMException {
  return new DOMException(message, "TimeoutError");
}
