import { Platform, type RequestContext } from "../router/mod.ts";

/** Keeps what belongs to a request alive until a promise has settled. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** What Workers pass with a request for this; elsewhere there is no need. */
export function waitUntilOf(context: RequestContext): WaitUntil | undefined {
  const execution = context.get(Platform)[1] as
    | { waitUntil?: WaitUntil }
    | null
    | undefined;
  return typeof execution?.waitUntil === "function"
    ? (promise) => execution.waitUntil?.(promise)
    : undefined;
}

/**
 * Whether the runtime ends a request, handler and all, when its client closes
 * the connection, unless it is told to wait: Workers do. No line would be
 * written then.
 */
export const endsWithClient: boolean = "IdentityTransformStream" in globalThis;
