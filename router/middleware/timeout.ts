// This is not imported from the entry, because bundlers would keep more of the
// router than this needs.
import { Abandoned } from "../context/abandoned.ts";
import { type ContextKey, createContextKey } from "../context/context_key.ts";
import { checkPositive, MAX_TIMEOUT } from "../limits.ts";
import type { ContextEntry, Middleware } from "../mod.ts";
import { describeMiddleware } from "./describe_middleware.ts";

/** The type of {@linkcode TimeoutSignal}. */
export interface TimeoutSignalKey extends ContextKey<AbortSignal> {
  /** The name of the key, which distinguishes its type from others. */
  readonly name: "TimeoutSignal";
}

/**
 * The key of the signal that {@linkcode timeout} aborts. Pass it to `fetch` and
 * to database clients, so that they stop working on a late response.
 */
export const TimeoutSignal: TimeoutSignalKey = /* @__PURE__ */ createContextKey<
  AbortSignal
>(undefined, {
  name: "TimeoutSignal",
}) as TimeoutSignalKey;

/**
 * Creates a middleware that responds with 503 if the response to a request does
 * not begin in time. `context.error` is then a `TimeoutError`, or a late error of
 * the handler, so the session saves nothing, and `commit` of the session throws in
 * the late handler.
 *
 * JavaScript cannot stop a function: the handler continues, and its response is
 * ignored. Pass `context.get(TimeoutSignal)` to what it waits for. The time of
 * the body, such as a stream, is not limited.
 *
 * @example A slow service
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { timeout, TimeoutSignal } from "@gatehouse/web/middleware";
 *
 * const router = createRouter();
 * router.get("/slow", timeout(10), (context) => {
 *   const signal = context.get(TimeoutSignal);
 *   // return fetch("https://slow.example/", { signal });
 *   return new Promise((resolve) => {
 *     signal.addEventListener("abort", () => resolve(new Response("late")));
 *   });
 * });
 *
 * const response = await router.fetch("https://example.com/slow");
 * assertEquals(response.status, 503);
 * ```
 *
 * @param milliseconds The longest time until the response begins.
 * @returns The middleware.
 * @throws {RangeError} If the time is not a positive number, or too long for a
 * timer.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4 | RFC 9110, 503 Service Unavailable}
 */
export function timeout(
  milliseconds: number,
): Middleware<readonly [ContextEntry<TimeoutSignalKey, AbortSignal>]> {
  checkPositive("timeout", "time", milliseconds, MAX_TIMEOUT);
  const middleware: Middleware<
    readonly [ContextEntry<TimeoutSignalKey, AbortSignal>]
  > = async (context, next) => {
    const start = performance.now();
    const controller = new AbortController();
    context.set(TimeoutSignal, controller.signal);
    const downstream = next();
    if (await settlesAtOnce(downstream)) return downstream;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const rest = milliseconds - (performance.now() - start);
    const timer = setTimeout(() => {
      // This comes first, so that the handler's response to the abort comes too
      // late.
      resolve(undefined);
      context.set(Abandoned, true);
      controller.abort(timeoutError(milliseconds));
    }, Math.max(0, rest));
    try {
      const response = await Promise.race([downstream, late]);
      if (response !== undefined) return response;
    } finally {
      clearTimeout(timer);
    }
    context.error = controller.signal.reason;
    downstream.then((response) => response.body?.cancel()).catch(() => {});
    return await context.createErrorResponse({ status: 503 }, {
      "Cache-Control": "no-store",
    });
  };
  return describeMiddleware(middleware, { responses: { 503: "" } });
}

/**
 * The number of microtasks, enough for a handler behind eight async middleware.
 */
const MICROTASKS = 20;

/**
 * Returns `true` if a promise settles within a few microtasks. It then needs no
 * timer, which takes 2 to 4 µs on Deno, as long as half of a bare request.
 */
async function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let count = 0; count < MICROTASKS && !isSettled; count++) {
    await undefined;
  }
  return isSettled;
}

function timeoutError(milliseconds: number): DOMException {
  const message = `No response within ${milliseconds} ms`;
  return new DOMException(message, "TimeoutError");
}
