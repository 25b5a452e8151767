import type { RequestContext } from "../context/context.ts";
import { waitUntilOf } from "./wait_until.ts";

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

/**
 * Returns a body that is canceled when the client leaves. On Workers this is
 * another stream, on other runtimes the same one.
 */
export function cancelWithClient(
  body: ReadableStream<Uint8Array>,
  context: RequestContext,
): ReadableStream<Uint8Array> {
  const waitUntil = waitUntilOf(context);
  const { IdentityTransformStream } = globalThis as WorkersGlobal;
  if (waitUntil === undefined || IdentityTransformStream === undefined) {
    return body;
  }
  const { readable, writable } = new IdentityTransformStream();
  const { signal } = context.request;
  // pipeTo() does not cancel for a client that left before the response.
  const sent = signal.aborted
    ? body.cancel(signal.reason).then(() => writable.abort())
    : body.pipeTo(writable, { signal });
  waitUntil(sent.catch(() => {}));
  return readable;
}
