import type { RequestContext } from "./context/context.ts";
import { Platform } from "./context/platform.ts";

/**
 * Returns `true` if no client waits for the response any more.
 *
 * Under `Deno.serve` it is always `false`: there the signal aborts after every
 * response too. Deno's info has `completed` instead.
 */
export function isAborted(context: RequestContext): boolean {
  return hasSignal(context) && context.request.signal.aborted;
}

/** Throws the reason if a request was aborted. */
export function throwIfAborted({ signal }: Request): void {
  // Takes half the time of the signal's own method on some runtimes.
  if (signal.aborted) throw signal.reason;
}

/**
 * Returns `true` if an error is the reason that the request was aborted with: a
 * handler gave up because the client left.
 */
export function isAbort(error: unknown, context: RequestContext): boolean {
  // Reading the signal under `Deno.serve` has side effects, so it is read only
  // for an error that a signal throws: then the handler has read it too.
  if (!hasSignal(context) && !isAbortError(error)) return false;
  const { aborted, reason } = context.request.signal;
  return aborted && error === reason;
}

function isAbortError(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns `true` if the request's signal shows that the client left. */
export function hasSignal(context: RequestContext): boolean {
  return !("completed" in Object(context.get(Platform)[0]));
}

/** Returns `true` if a server passed the request, and may abort it. */
export function isServed(context: RequestContext): boolean {
  return context.get(Platform).length > 0;
}
