import { checkPositive, MAX_TIMEOUT } from "../limits.ts";
import type { RequestContext } from "../mod.ts";
import { cancelWithClient } from "../operation/cancel_with_client.ts";

/** An event for `EventSource` in a browser. */
export interface ServerSentEvent {
  /**
   * The data. A string is sent unchanged, any other value as JSON.
   *
   * @default {undefined}
   */
  readonly data?: unknown;
  /**
   * The type of the event, for `addEventListener`.
   *
   * @default {"message"}
   */
  readonly event?: string;
  /**
   * The id that the browser sends when it connects again.
   *
   * @default {undefined}
   */
  readonly id?: string | number;
  /**
   * The time before the browser connects again, in milliseconds.
   *
   * @default {undefined}
   */
  readonly retry?: number;
}

/** The connection that events are sent over. */
export interface EventStreamConnection {
  /** The id of the last event that the browser received, or an empty string. */
  readonly lastEventId: string;
  /** Aborts when the client leaves or the stream ends. */
  readonly signal: AbortSignal;
}

/** Options for {@linkcode eventStream}. */
export interface EventStreamOptions {
  /**
   * The time between the comments that keep an idle connection open, in
   * milliseconds.
   *
   * @default {15_000}
   */
  readonly heartbeat?: number;
  /**
   * Ends the stream when it aborts, such as the signal of `createLifecycle`.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal;
}

/**
 * Creates a response that sends events, for `EventSource` in a browser.
 *
 * The function yields the events. It is asked for the next one when the client
 * has room for it. When the client leaves, `signal` aborts and the generator
 * returns: its `finally` blocks run.
 *
 * The browser connects again by itself when the response ends, and sends the `id`
 * of the last event. An error of the function ends the response. It is printed,
 * because `onError` can no longer answer it.
 *
 * @example A counter that continues
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { eventStream } from "@gatehouse/web/content";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const router = createRouter();
 * router.get("/count", (context) =>
 *   eventStream(context, async function* ({ lastEventId }) {
 *     let id = Number(lastEventId);
 *     while (id < 9) yield { id: ++id, data: { count: id } };
 *   }));
 *
 * const response = await router.fetch("https://example.com/count", {
 *   headers: { "Last-Event-ID": "8" },
 * });
 * assertEquals(await response.text(), ':\n\nid: 9\ndata: {"count":9}\n\n');
 * ```
 *
 * @param context The context of the request.
 * @param source Yields the events.
 * @param options The heartbeat, and a signal that ends the stream.
 * @returns The response.
 * @throws {RangeError} If `heartbeat` is not a positive number up to 2,147,483,647.
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html | HTML, Server-sent events}
 */
export function eventStream(
  context: RequestContext,
  source: (connection: EventStreamConnection) => AsyncIterable<ServerSentEvent>,
  { heartbeat = 15_000, signal }: EventStreamOptions = {},
): Response {
  checkPositive("event stream", "heartbeat", heartbeat, MAX_TIMEOUT);
  const stream = new EventStream(heartbeat, signal);
  const lastEventId = context.request.headers.get("Last-Event-ID") ?? "";
  const connection = {
    lastEventId: lastEventId.length > MAX_ID ? "" : lastEventId,
    signal: stream.signal,
  };
  const body = stream.start(source(connection));
  return new Response(cancelWithClient(body, context), {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      // nginx collects responses unless this header forbids it.
      "X-Accel-Buffering": "no",
    },
  });
}

/** The maximum number of characters in an id that a browser sends. */
const MAX_ID = 1024;

const encoder = /* @__PURE__ */ new TextEncoder();

/** A comment. The first one makes servers send the headers. */
const COMMENT = ":\n\n";

class EventStream {
  readonly #abort = new AbortController();
  readonly #heartbeat: number;
  readonly #outer: AbortSignal | undefined;
  #iterator: AsyncIterator<ServerSentEvent> | undefined;
  /** The next event, or `null` at the end, once the source was asked for it. */
  #next: Promise<string | null> | undefined;
  /** `true` once `#next` has settled. */
  #isReady = false;
  /** Ends the wait of `#read`. */
  #wake: (text: string | null | Promise<string | null>) => void = () => {};

  constructor(heartbeat: number, outer: AbortSignal | undefined) {
    this.#heartbeat = heartbeat;
    this.#outer = outer;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Returns the body of the response. */
  start(
    source: AsyncIterable<ServerSentEvent>,
  ): ReadableStream<Uint8Array> {
    this.#iterator = source[Symbol.asyncIterator]();
    this.#outer?.addEventListener("abort", this.#end);
    if (this.#outer?.aborted) this.#end();
    let hasBegun = false;
    let isCanceled = false;
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const text = hasBegun ? await this.#read() : COMMENT;
          hasBegun = true;
          if (isCanceled) return;
          if (text !== null) return controller.enqueue(encoder.encode(text));
          this.#end();
          controller.close();
        } catch (error) {
          this.#end();
          console.error(error);
          controller.error(error);
        }
      },
      cancel: () => {
        isCanceled = true;
        this.#end();
      },
    }, { highWaterMark: 0 });
  }

  /** Returns the next event, a comment after a while, or `null` at the end. */
  async #read(): Promise<string | null> {
    if (this.signal.aborted) return null;
    const next = this.#next ??= this.#ask();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#wake = resolve;
    if (this.#isReady) resolve(next);
    const timer = setTimeout(resolve, this.#heartbeat, COMMENT);
    try {
      const text = await promise;
      // After a comment, the source still works on the same event.
      if (text !== COMMENT) this.#next = undefined;
      return text;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the source for an event. */
  #ask(): Promise<string | null> {
    const next = this.#iterator!.next()
      .then(({ done, value }) => done ? null : formatEvent(value));
    // All comments share one reaction, because each reaction stays until the
    // source is done.
    const wake = () => {
      this.#isReady = true;
      this.#wake(next);
    };
    next.then(wake, wake);
    this.#isReady = false;
    return next;
  }

  /** Ends the source. It may throw the reason of the signal from now on. */
  readonly #end = () => {
    if (this.signal.aborted) return;
    this.#outer?.removeEventListener("abort", this.#end);
    this.#abort.abort();
    this.#wake(null);
    Promise.try(() => this.#iterator?.return?.()).catch((error) => {
      if (error !== this.signal.reason) console.error(error);
    });
  };
}

/**
 * Formats an event.
 *
 * @throws {TypeError} If it is not an object, a member could forge another field,
 * or `retry` is not a number of milliseconds.
 */
function formatEvent(sent: ServerSentEvent): string {
  // Callers without types may pass a string, whose members would be undefined.
  if (typeof sent !== "object" || sent === null) {
    throw new TypeError(
      `Cannot send the event "${
        String(sent)
      }": it is not an object such as { data }`,
    );
  }
  const { data, event, id, retry } = sent;
  if (retry !== undefined && !(retry >= 0 && retry < Infinity)) {
    throw new TypeError(
      `Cannot send the event: retry "${retry}" is not a number of milliseconds`,
    );
  }
  let text = field("event", event) + field("id", id);
  if (retry !== undefined) text += field("retry", Math.round(retry));
  if (data !== undefined) {
    const string = typeof data === "string" ? data : JSON.stringify(data);
    for (const line of String(string).split(/\r\n|[\r\n]/)) {
      text += `data: ${line}\n`;
    }
  }
  return `${text}\n`;
}

function field(name: string, value: string | number | undefined): string {
  if (value === undefined) return "";
  // Browsers ignore an ID that contains a NUL.
  if (!/[\r\n\0]/.test(String(value))) return `${name}: ${value}\n`;
  throw new TypeError(
    `Cannot send event: its ${name} contains a line break or a NUL`,
  );
}
