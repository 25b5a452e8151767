import type { RequestContext } from "./context.ts";
import { Platform } from "./platform.ts";

/**
 * Throws the reason where nobody waits for the answer any more.
 *
 * Not under `Deno.serve`: there the signal aborts after every answer too, and
 * reading it prints a warning. Its info has `completed` in its place.
 */
export function throwIfAborted(context: RequestContext): void {
  if (hasSignal(context)) refuseAborted(context.request);
}

/** The same for who knows that there is a signal. */
export function refuseAborted({ signal }: Request): void {
  // Half the time that the method `throwIfAborted` takes on some runtimes.
  if (signal.aborted) throw signal.reason;
}

/** Whether an error is the reason that the request was aborted for. */
export function isAbort(error: unknown, context: RequestContext): boolean {
  if (!hasSignal(context)) return false;
  const { aborted, reason } = context.request.signal;
  return aborted && error === reason;
}

/** Whether the request's signal tells whether anybody waits for the answer. */
export function hasSignal(context: RequestContext): boolean {
  return !("completed" in Object(context.get(Platform)[0]));
}

/** Whether a server handed over the request, who else could not abort it. */
export function isServed(context: RequestContext): boolean {
  return context.get(Platform).length > 0;
}
