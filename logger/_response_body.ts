import type { RequestContext } from "../router/mod.ts";
import type { LogOutcome } from "./log_info.ts";
import { waitUntilOf } from "./_workers.ts";

/** How a body ended. */
export interface BodyEnd {
  /** Its bytes, where they are known. */
  readonly bytes?: number | undefined;
  /** Whether it was sent; it was if this is missing. */
  readonly outcome?: LogOutcome;
  /** What it failed with, if it did. */
  readonly error?: unknown;
}

/**
 * Returns the length of a body according to its headers. Reading the body would
 * turn a string into a stream.
 */
export function contentLengthOf(
  { headers, status }: Pick<Response, "headers" | "status">,
): number | undefined {
  // These have no body. Their header has the length that it would have.
  if (status === 204 || status === 304) return 0;
  const length = headers.get("content-length");
  if (!length) return undefined;
  let n = 0;
  for (let at = 0; at < length.length; at++) {
    const digit = length.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    n = 10 * n + digit;
  }
  return Number.isSafeInteger(n) ? n : undefined;
}

/**
 * Passes a response on and tells how its body ended, once.
 *
 * A body that is cancelled was left by the client. `request.signal` does not
 * tell: Deno aborts it after success too.
 */
export function watchBody(
  response: Response,
  context: RequestContext,
  onEnd: (end: BodyEnd) => void,
): Response {
  // The headers first: asked for its body, Bun forgets the type of a file.
  const { headers, status, body } = response;
  if (body === null || body.locked || status === 101) {
    onEnd({ bytes: body === null ? 0 : contentLengthOf({ headers, status }) });
    return response;
  }
  const waitUntil = waitUntilOf(context);
  const { IdentityTransformStream } = globalThis as WorkersGlobal;
  if (waitUntil === undefined || IdentityTransformStream === undefined) {
    return typed(new Response(watch(body, onEnd), response));
  }
  const { readable, writable } = new IdentityTransformStream();
  waitUntil(pump(body, writable, context.request.signal).then(onEnd));
  return new Response(readable, response);
}

/**
 * Gives a response the type of a text where it has none and the runtime adds
 * one only when it sends a body that nobody touched, as Bun does. Without a type
 * a browser would guess, and take a text for a page with scripts.
 */
function typed(response: Response): Response {
  const { headers } = response;
  if (
    !headers.has("Content-Type") &&
    !new Response("").headers.has("Content-Type")
  ) {
    headers.set("Content-Type", "text/plain;charset=utf-8");
  }
  return response;
}

/** The most that is passed on at a time: more may wait for a client in vain. */
const portion = 65_536;

function watch(
  body: ReadableStream<Uint8Array>,
  onEnd: (end: BodyEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  let bytes = 0;
  let ended = false;
  const end = (how: Omit<BodyEnd, "bytes">) => {
    if (!ended) onEnd({ ...how, bytes });
    ended = true;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (rest.byteLength === 0) {
          const { done, value } = await reader.read();
          if (done) {
            end({ outcome: "complete" });
            return controller.close();
          }
          rest = bytesOf(value);
        }
        const chunk = rest.subarray(0, portion);
        rest = rest.subarray(portion);
        bytes += chunk.byteLength;
        controller.enqueue(chunk);
      } catch (error) {
        end({ outcome: "failed", error });
        controller.error(error);
      }
    },
    cancel(reason) {
      end({ outcome: "aborted" });
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Bun and Workers take streams of texts, of buffers and of any view too. */
function bytesOf(chunk: ArrayBufferView | ArrayBuffer | string): Uint8Array {
  if (typeof chunk === "string") return encoder.encode(chunk);
  const view = ArrayBuffer.isView(chunk) ? chunk : new DataView(chunk);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * The stream of Workers. There no other tells of a client that left: they just
 * are not asked for more.
 */
interface WorkersGlobal {
  readonly IdentityTransformStream?: new () => {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
  };
}

async function pump(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<BodyEnd> {
  const reader = body.getReader();
  const writer = writable.getWriter();
  // A client that left before the answer was there never asks for its body.
  const leave = () => void writer.abort(signal.reason).catch(() => {});
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave);
  let bytes = 0;
  let isWriting = false;
  try {
    while (true) {
      isWriting = false;
      const { done, value } = await reader.read();
      isWriting = true;
      if (done) break;
      const whole = bytesOf(value);
      for (let start = 0; start < whole.byteLength; start += portion) {
        const chunk = whole.subarray(start, start + portion);
        await writer.write(chunk);
        bytes += chunk.byteLength;
      }
    }
    await writer.close();
    return { bytes, outcome: "complete" };
  } catch (error) {
    const other = isWriting ? reader.cancel(error) : writer.abort(error);
    await other.catch(() => {});
    return isWriting
      ? { bytes, outcome: "aborted" }
      : { bytes, outcome: "failed", error };
  }
}
