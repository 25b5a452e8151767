import { checkPositive } from "../limits.ts";

/** Options for {@linkcode eventQueue}. */
export interface EventQueueOptions {
  /**
   * The maximum number of values that wait for the client.
   *
   * @default {100}
   */
  readonly limit?: number;
}

/** Values that wait until a client has room for them. */
export interface EventQueue<Value> extends AsyncIterable<Value> {
  /**
   * Adds a value.
   *
   * @param value The value.
   * @returns `false` if the queue is full or has ended, and dropped the value.
   */
  push(value: Value): boolean;
}

/**
 * Creates a queue between a source of events and the generator of
 * {@linkcode eventStream}.
 *
 * A client that reads too slowly misses the values beyond the limit. When the
 * signal aborts, the queue ends and drops the waiting values. One loop reads a
 * queue.
 *
 * @example Sending every change
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { eventQueue, eventStream } from "@gatehouse/web/content";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const changes = new EventTarget();
 * const router = createRouter();
 * router.get("/changes", (context) =>
 *   eventStream(context, async function* ({ signal }) {
 *     const queue = eventQueue<string>(signal);
 *     changes.addEventListener("change", () => queue.push("changed"), { signal });
 *     yield { data: "ready" };
 *     for await (const data of queue) yield { data };
 *   }));
 *
 * const { body } = await router.fetch("https://example.com/changes");
 * const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
 * assertEquals((await reader.read()).value, ":\n\n");
 * assertEquals((await reader.read()).value, "data: ready\n\n");
 * changes.dispatchEvent(new Event("change"));
 * assertEquals((await reader.read()).value, "data: changed\n\n");
 * await reader.cancel();
 * ```
 *
 * @param signal Ends the queue, such as the signal of the stream's connection.
 * @param options The limit.
 * @returns The queue.
 * @throws {RangeError} If `limit` is not a positive number.
 */
export function eventQueue<Value>(
  signal: AbortSignal,
  { limit = 100 }: EventQueueOptions = {},
): EventQueue<Value> {
  checkPositive("event queue", "limit", limit);
  const values: Value[] = [];
  let wake = () => {};
  signal.addEventListener("abort", () => wake());
  return {
    push(value) {
      if (signal.aborted || values.length >= limit) return false;
      values.push(value);
      wake();
      return true;
    },
    async *[Symbol.asyncIterator]() {
      while (!signal.aborted) {
        if (values.length > 0) yield values.shift()!;
        else await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}
