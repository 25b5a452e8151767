import { addContentType, cancelWithClient } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import type { LogOutcome } from "./log_info.ts";

/**
 * Receives the end of a response body: the bytes that were sent, if they are
 * known, and the error that the body failed with.
 */
type OnEnd = (outcome: LogOutcome, bytes?: number, error?: unknown) => void;

/**
 * Returns the length of a body according to its headers. Reading the body would
 * turn a string into a stream.
 */
export function contentLengthOf(
  { headers, status }: Pick<Response, "headers" | "status">,
): number | undefined {
  // Responses with these statuses have no body. Their header has the length
  // that it would have.
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
  onEnd: OnEnd,
): Response {
  // The headers are read first, because reading `body` makes Bun forget the
  // type of a file.
  const { headers, status, body } = response;
  if (body === null || body.locked || status === 101) {
    onEnd("complete", body ? contentLengthOf({ headers, status }) : 0);
    return response;
  }
  const counted = countBody(body.getReader(), onEnd);
  const sent = cancelWithClient(counted, context);
  const copy = new Response(sent, response);
  return sent === counted ? addContentType(copy) : copy;
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
type Controller = ReadableStreamDefaultController<Uint8Array>;

/** The largest chunk that is sent at once, so that few unsent bytes count. */
const chunkSize = 65_536;

/** Counts the bytes of a body while the server reads it. */
function countBody(
  reader: Reader,
  onEnd: OnEnd,
): ReadableStream<Uint8Array> {
  let rest: Uint8Array | undefined;
  let bytes = 0;
  let ended = false;
  const end = (outcome: LogOutcome, error?: unknown) => {
    if (!ended) onEnd(outcome, bytes, error);
    ended = true;
  };
  const send = (controller: Controller, chunk: Uint8Array) => {
    const isLarge = chunk.byteLength > chunkSize;
    rest = isLarge ? chunk.subarray(chunkSize) : undefined;
    const part = isLarge ? chunk.subarray(0, chunkSize) : chunk;
    bytes += part.byteLength;
    controller.enqueue(part);
  };
  return new ReadableStream<Uint8Array>({
    // An async function would make a response 5 % slower in Deno and in Bun.
    pull(controller) {
      if (rest !== undefined) return send(controller, rest);
      return reader.read().then(({ done, value }) => {
        if (!done) return send(controller, bytesOf(value));
        end("complete");
        controller.close();
      }).catch((error) => {
        end("failed", error);
        controller.error(error);
      });
    },
    cancel(reason) {
      end("aborted");
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Converts a chunk. Bun and Workers accept strings, buffers and all views. */
function bytesOf(chunk: ArrayBufferView | ArrayBuffer | string): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return encoder.encode(chunk);
  const view = ArrayBuffer.isView(chunk) ? chunk : new DataView(chunk);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
