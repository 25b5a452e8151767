import {
  eventStream,
  type EventStreamOptions,
  type ServerSentEvent,
} from "@gatehouse/web/content";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { turns, untilAborted } from "../../_wait.ts";

type Source = Parameters<typeof eventStream>[1];

const url = "https://example.com/events";

function respond(
  source: Source,
  options?: EventStreamOptions,
  headers: HeadersInit = {},
): Response {
  const context = new RequestContext(new Request(url, { headers }));
  return eventStream(context, source, options);
}

async function* yieldAll(events: readonly ServerSentEvent[]) {
  yield* events;
}

async function withoutErrors<Value>(run: () => Promise<Value>) {
  using calls = captureConsole();
  const { printed } = calls;
  return { printed, value: await run() };
}

const formats: [event: ServerSentEvent, text: string][] = [
  [{ data: "Hello" }, "data: Hello\n\n"],
  [{ data: "" }, "data: \n\n"],
  [{ data: "a\nb\r\nc\rd" }, "data: a\ndata: b\ndata: c\ndata: d\n\n"],
  [{ data: "\n\nevent: forged" }, "data: \ndata: \ndata: event: forged\n\n"],
  [{ data: { text: "a\nb" } }, 'data: {"text":"a\\nb"}\n\n'],
  [{ data: null }, "data: null\n\n"],
  [{ data: [1, 2] }, "data: [1,2]\n\n"],
  [{ data: "ü\u2028" }, "data: ü\u2028\n\n"],
  [
    { event: "note", id: 7, retry: 1000.4, data: 1 },
    "event: note\nid: 7\nretry: 1000\ndata: 1\n\n",
  ],
  [{ id: "" }, "id: \n\n"],
  [{}, "\n"],
];

for (const [event, text] of formats) {
  Deno.test(`eventStream() sends ${JSON.stringify(event)}`, async () => {
    const response = respond(() => yieldAll([event]));
    assertEquals(await response.text(), `:\n\n${text}`);
  });
}

const hostile: ServerSentEvent[] = [
  { retry: NaN },
  { retry: -1 },
  { retry: "1000x" as never },
  "Hello" as never,
  null as never,
  { id: "1\ndata: forged" },
  { id: "1\rdata: forged" },
  { id: "1\0" },
  { event: "a\n\ndata: forged" },
];

for (const event of hostile) {
  Deno.test(`eventStream() ends with an error at ${JSON.stringify(event)}`, async () => {
    const { printed, value } = await withoutErrors(() =>
      respond(() => yieldAll([event])).text().catch(() => "failed")
    );
    assertEquals(value, "failed");
    assert(printed[0] instanceof TypeError);
  });
}

Deno.test("eventStream() sets headers against caches and buffers", async () => {
  const response = respond(() => yieldAll([]));
  assertEquals(response.headers.get("Content-Type"), "text/event-stream");
  assertEquals(response.headers.get("Cache-Control"), "no-store, no-transform");
  assertEquals(response.headers.get("X-Accel-Buffering"), "no");
  assertEquals(await response.text(), ":\n\n");
});

const ids: [header: string | undefined, id: string][] = [
  [undefined, ""],
  ["7", "7"],
  ["a b", "a b"],
  ["__proto__", "__proto__"],
  ["x".repeat(1024), "x".repeat(1024)],
  ["x".repeat(1025), ""],
];

for (const [header, id] of ids) {
  Deno.test(`eventStream() reads the Last-Event-ID ${header?.slice(0, 10)} of ${header?.length ?? 0} characters`, async () => {
    const headers = new Headers();
    if (header !== undefined) headers.set("Last-Event-ID", header);
    const response = respond(
      ({ lastEventId }) => yieldAll([{ data: lastEventId }]),
      {},
      headers,
    );
    assertEquals(await response.text(), `:\n\ndata: ${id}\n\n`);
  });
}

Deno.test("eventStream() asks for an event only if the client has room for it", async () => {
  let asked = 0;
  const response = respond(async function* () {
    while (true) yield { data: ++asked };
  });
  const reader = response.body!.getReader();
  await turns(3);
  assertEquals(asked, 0);
  await reader.read();
  await reader.read();
  await reader.read();
  await turns(3);
  assert(asked <= 3, `${asked} events`);
  await reader.cancel();
});

Deno.test("eventStream() sends comments while the source waits, and loses no event", async () => {
  const gates = [1, 2].map(() => Promise.withResolvers<void>());
  const response = respond(async function* () {
    for (const [index, gate] of gates.entries()) {
      await gate.promise;
      yield { data: index };
    }
  }, { heartbeat: 1 });
  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  const next = async () => (await reader.read()).value;
  for (const [index, gate] of gates.entries()) {
    for (let comments = 0; comments < 3; comments++) {
      assertEquals(await next(), ":\n\n");
    }
    gate.resolve();
    let part = await next();
    while (part === ":\n\n") part = await next();
    assertEquals(part, `data: ${index}\n\n`);
  }
  assertEquals(await next(), undefined);
});

Deno.test("eventStream() returns the source when the client leaves", async () => {
  const ended = Promise.withResolvers<unknown>();
  const response = respond(async function* ({ signal }) {
    try {
      yield { data: 1 };
      await untilAborted(signal);
    } catch (error) {
      assertEquals(error, signal.reason);
      throw error;
    } finally {
      ended.resolve(signal.aborted);
    }
  });
  const { printed } = await withoutErrors(async () => {
    const reader = response.body!.getReader();
    await reader.read();
    await reader.read();
    const waiting = reader.read();
    await turns(3);
    await reader.cancel();
    await waiting;
    assertEquals(await ended.promise, true);
    await turns();
  });
  assertEquals(printed, []);
});

for (const isEarly of [true, false]) {
  Deno.test(`eventStream() ends with a signal that aborts ${isEarly ? "before" : "during"} it`, async () => {
    const controller = new AbortController();
    if (isEarly) controller.abort();
    let hasEnded = false;
    const waiting = Promise.withResolvers<void>();
    const response = respond(async function* ({ signal }) {
      try {
        yield { data: 1 };
        waiting.resolve();
        await untilAborted(signal);
      } finally {
        hasEnded = true;
      }
    }, { signal: controller.signal });
    const reading = response.text();
    if (!isEarly) await waiting.promise;
    controller.abort();
    const text = await reading;
    assertEquals(text, isEarly ? ":\n\n" : ":\n\ndata: 1\n\n");
    await turns();
    assertEquals(hasEnded, !isEarly);
  });
}

Deno.test("eventStream() prints the error of a source, which ends the response", async () => {
  const bug = new Error("bug");
  const { printed, value } = await withoutErrors(() =>
    respond(async function* () {
      yield { data: 1 };
      await Promise.resolve();
      throw bug;
    }).text().catch((error) => error)
  );
  assert(value instanceof Error);
  assertEquals(printed, [bug]);
});

Deno.test("eventStream() works in a mounted router, and answers HEAD", async () => {
  const inner = createRouter();
  inner.get("/events", (context) => eventStream(context, () => yieldAll([{}])));
  const router = createRouter();
  router.mount("/v1", inner);
  const response = await router.fetch("https://example.com/v1/events");
  assertEquals(await response.text(), ":\n\n\n");
  const head = await router.fetch("https://example.com/v1/events", {
    method: "HEAD",
  });
  assertEquals(head.headers.get("Content-Type"), "text/event-stream");
  assertEquals(await head.text(), "");
});

Deno.test("eventStream() refuses an invalid heartbeat", () => {
  for (const heartbeat of [0, -1, NaN, Infinity]) {
    assertThrows(
      () => respond(() => yieldAll([]), { heartbeat }),
      RangeError,
      "heartbeat",
    );
  }
});

/** Counts the reactions to a promise, and to those that its reactions return. */
function countReactions<Value>(
  promise: Promise<Value>,
  counts: number[],
): Promise<Value> {
  const index = counts.push(0) - 1;
  promise.then = function (...handlers) {
    counts[index]++;
    const derived = Promise.prototype.then.apply(this, handlers);
    return countReactions(derived, counts) as Promise<never>;
  };
  return promise;
}

Deno.test("eventStream() keeps nothing of the comments of an idle connection", async () => {
  const { promise, resolve } = Promise.withResolvers<
    IteratorResult<ServerSentEvent>
  >();
  const counts: number[] = [];
  const next = () => countReactions(promise, counts);
  const events = { [Symbol.asyncIterator]: () => ({ next }) };
  const reader = respond(() => events, { heartbeat: 1 }).body!.getReader();
  for (let comment = 0; comment < 10; comment++) await reader.read();
  const most = Math.max(...counts);
  assert(most < 5, `${most} reactions to one promise`);
  // An event that comes between two reads is not lost.
  resolve({ value: { data: "late" } });
  await turns(3);
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "data: late\n\n");
  await reader.cancel();
});
