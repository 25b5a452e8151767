import { hasSignal, isServed } from "./abort.ts";
import type { RequestContext } from "./context/context.ts";
import { MAX_TIMEOUT } from "./limits.ts";

/** Limits for reading a stream. */
export interface ReadLimits {
  /** The maximum number of bytes. */
  readonly maxBytes: number;
  /** The longest time, in milliseconds. */
  readonly timeout: number;
}

/**
 * Reads a stream to its end.
 *
 * @param context The context of the request whose body the stream is.
 * @returns The bytes; 413 if there are too many, 408 if the time is up. Rejects if
 * the stream fails.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, timeout }: ReadLimits,
  context?: RequestContext,
): Promise<Uint8Array<ArrayBuffer> | 408 | 413> {
  const reader = stream.getReader();
  let isLate = false;
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(() => {
    isLate = true;
    cancel();
  }, Math.min(timeout, MAX_TIMEOUT));
  // Chunks are copied at once: each keeps the buffer alive that it arrived in,
  // so a body sent byte by byte would take gigabytes.
  let bytes = new Uint8Array();
  let size = 0;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (isLate) return 408;
      if (done) return bytes.subarray(0, size);
      const end = size + value.length;
      if (end > maxBytes) {
        discard(reader, context);
        return 413;
      }
      if (end > bytes.length) {
        const length = Math.min(maxBytes, Math.max(end, size * 2));
        bytes = new Uint8Array(bytes.buffer.transfer(length));
      }
      bytes.set(value, size);
      size = end;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads the text of a request body.
 *
 * @returns The text, which is empty without a body; 413 if it is too long, 408 if
 * the time is up, 400 if it is not UTF-8 or the stream fails.
 */
export async function readText(
  context: RequestContext,
  limits: ReadLimits,
): Promise<string | 400 | 408 | 413> {
  const { body } = context.request;
  if (body === null) return "";
  try {
    const bytes = await readBytes(body, limits, context);
    return typeof bytes === "number"
      ? bytes
      : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return 400;
  }
}

/**
 * The maximum number of bytes in a refused body that are read, and the longest
 * time.
 */
const DISCARDED = { bytes: 8 * 1024 * 1024, time: 5_000 };

/**
 * Ends the reading of a stream. Reads the rest of a request's body within
 * limits, without waiting for it. On Node, a connection whose client sends a
 * body that nothing reads is stuck until the server times out.
 *
 * @param context The context of the request whose body the stream is.
 */
export function discard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  context?: RequestContext,
): void {
  const cancel = () => void reader.cancel().catch(() => {});
  // Deno reads the rest itself if the body is canceled.
  if (context === undefined || !isServed(context) || !hasSignal(context)) {
    return cancel();
  }
  const timer = setTimeout(cancel, DISCARDED.time);
  readRest(reader).catch(() => {}).finally(() => {
    clearTimeout(timer);
    cancel();
  });
}

async function readRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  let rest = DISCARDED.bytes;
  while (rest > 0) {
    const { done, value } = await reader.read();
    if (done) return;
    rest -= value.byteLength;
  }
}
