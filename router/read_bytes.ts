import { MAX_TIMEOUT } from "./limits.ts";

/** Limits for reading a stream. */
export interface ReadLimits {
  /** The most bytes. */
  readonly maxBytes: number;
  /** The longest time, in milliseconds. */
  readonly timeout: number;
}

/**
 * Reads a stream to its end.
 *
 * @returns The bytes; 413 if there are too many, 408 if the time is up. Rejects if
 * the stream fails.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, timeout }: ReadLimits,
): Promise<Uint8Array<ArrayBuffer> | 408 | 413> {
  const reader = stream.getReader();
  let isLate = false;
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(() => {
    isLate = true;
    cancel();
  }, Math.min(timeout, MAX_TIMEOUT));
  // Chunks are copied at once: each keeps the buffer alive that it came in, so
  // that a body sent byte by byte would take gigabytes.
  let bytes = new Uint8Array();
  let size = 0;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (isLate) return 408;
      if (done) return bytes.subarray(0, size);
      const end = size + value.length;
      if (end > maxBytes) {
        cancel();
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
