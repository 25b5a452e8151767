import type { LogOutcome } from "./log_info.ts";

/** How a body ended. */
export interface BodyEnd {
  /** Its bytes, where they are known. */
  readonly bytes: number | undefined;
  /** Whether it was sent; it was if this is missing. */
  readonly outcome?: LogOutcome;
  /** What it failed with, if it did. */
  readonly error?: unknown;
}

/**
 * The length of a body as the headers tell it. The body itself is not touched:
 * asking Deno for it would turn a text into a stream.
 */
export function lengthOf({ headers, status }: Response): number | undefined {
  const header = headers.get("content-length");
  if (header !== null && /^\d{1,15}$/.test(header)) return Number(header);
  return status === 204 || status === 304 ? 0 : undefined;
}

/**
 * Passes a response on and tells how its body ended, once.
 *
 * A body that is cancelled was left by the client. `request.signal` does not
 * tell: Deno aborts it after success too.
 */
export function watchBody(
  response: Response,
  onEnd: (end: BodyEnd) => void,
): Response {
  const { body } = response;
  if (body === null || body.locked || response.status === 101) {
    onEnd({ bytes: body === null ? 0 : lengthOf(response) });
    return response;
  }
  return new Response(watch(body, onEnd), response);
}

function watch(
  body: ReadableStream<Uint8Array>,
  onEnd: (end: BodyEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  let ended = false;
  const end = (how: Omit<BodyEnd, "bytes">) => {
    if (!ended) onEnd({ ...how, bytes });
    ended = true;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end({ outcome: "complete" });
          controller.close();
        } else {
          bytes += value.byteLength;
          controller.enqueue(value);
        }
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
