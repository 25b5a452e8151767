import type { RequestContext } from "../context/context.ts";
import { Platform } from "../context/platform.ts";

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
 * client closes the connection. Work after that needs `waitUntil`.
 */
export const endsWithClient: boolean =
  /* @__PURE__ */ (() => "IdentityTransformStream" in globalThis)();
