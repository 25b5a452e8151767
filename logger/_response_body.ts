import type { RequestContext } from "../router/mod.ts";
import type { LogOutcome } from "./log_info.ts";
import { waitUntilOf } from "./_workers.ts";

/** The end of a response body. */
export interface BodyEnd {
  /** The number of bytes, if it is known. */
  readonly bytes?: number | undefined;
  /** The outcome. It is `complete` if it is missing. */
  readonly outcome?: LogOutcome;
  /** The error that the body failed with. */
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
  // A regular expression here takes 60 ns more per combined line in Deno.
  let bytes = 0;
  for (let index = 0; index < length.length; index++) {
    const digit = length.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    bytes = 10 * bytes + digit;
  }
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/**
 * Returns a response with the same body, and calls `onEnd` once when it ends.
 *
 * If the client leaves, the server cancels the body. `request.signal` cannot be
 * used for this, since Deno aborts it after success too.
 */
export function watchBody(
  response: Response,
  context: RequestContext,
  onEnd: (end: BodyEnd) => void,
): Response {
  // Read the headers first: reading `body` makes Bun forget the type of a file.
  const { headers, status, body } = response;
  if (body === null || body.locked || status === 101) {
    onEnd({ bytes: body === null ? 0 : contentLengthOf({ headers, status }) });
    return response;
  }
  const waitUntil = waitUntilOf(context);
  const { IdentityTransformStream } = globalThis as WorkersGlobal;
  if (waitUntil === undefined || IdentityTransformStream === undefined) {
    return addContentType(new Response(countBody(body, onEnd), response));
  }
  const { readable, writable } = new IdentityTransformStream();
  waitUntil(sendBody(body, writable, context.request.signal).then(onEnd));
  return new Response(readable, response);
}

/**
 * Adds the type of plain text to a body without a type if the runtime adds it
 * only to unread bodies, as Bun does. A browser without a type might take text
 * for a page with scripts.
 */
function addContentType(response: Response): Response {
  const { headers } = response;
  if (
    !headers.has("Content-Type") &&
    !new Response("").headers.has("Content-Type")
  ) {
    headers.set("Content-Type", "text/plain;charset=utf-8");
  }
  return response;
}

/** The largest chunk that is sent at once, so that few unsent bytes count. */
const chunkSize = 65_536;

/** Counts the bytes of a body while the server reads it. */
function countBody(
  body: ReadableStream<Uint8Array>,
  onEnd: (end: BodyEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  let bytes = 0;
  let ended = false;
  const end = (result: Omit<BodyEnd, "bytes">) => {
    if (!ended) onEnd({ ...result, bytes });
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
        const chunk = rest.subarray(0, chunkSize);
        rest = rest.subarray(chunkSize);
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

/** Converts a chunk. Bun and Workers accept strings, buffers and all views. */
function bytesOf(chunk: ArrayBufferView | ArrayBuffer | string): Uint8Array {
  if (typeof chunk === "string") return encoder.encode(chunk);
  const view = ArrayBuffer.isView(chunk) ? chunk : new DataView(chunk);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * The stream of Workers that reports a client that left. Workers never cancel
 * other streams: they stop reading them.
 */
interface WorkersGlobal {
  readonly IdentityTransformStream?: new () => {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
  };
}

/** Sends a body on Workers, and counts the bytes that the client accepted. */
async function sendBody(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<BodyEnd> {
  const reader = body.getReader();
  const writer = writable.getWriter();
  // A client that left before the response never reads its body.
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
      for (let start = 0; start < whole.byteLength; start += chunkSize) {
        const chunk = whole.subarray(start, start + chunkSize);
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
