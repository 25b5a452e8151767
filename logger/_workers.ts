import { Platform, type RequestContext } from "../router/mod.ts";

/** Keeps a request alive until a promise settles. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** Returns `waitUntil` of the request's `ctx` on Workers. */
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
 * `true` on Workers, which end a request together with its handler when the
 * client closes the connection. Without `waitUntil` no line would be written.
 */
export const endsWithClient: boolean = "IdentityTransformStream" in globalThis;
