/** Counting bytes under `Deno.serve`. */
import { assertEquals, assertRejects } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger, type LogInfo } from "@gatehouse/web/logger-middleware";
import { serveLocally } from "./_serve.ts";

/** Creates a router that counts bytes, and the log of its requests. */
function createApp(respond: () => Response) {
  const infos: LogInfo[] = [];
  let onLine = () => {};
  const router = createRouter({
    middleware: [logger({
      countBytes: true,
      format: (info) => {
        infos.push(info);
        return "";
      },
      output: () => onLine(),
    })],
  });
  router.get("/", respond);
  const line = new Promise<void>((resolve) => onLine = resolve);
  return { router, infos, line };
}

/** Picks the fields that these tests compare. */
function brief({ status, contentLength, outcome, error }: LogInfo) {
  return { status, contentLength, outcome, error };
}

const complete = {
  status: 200,
  outcome: "complete",
  error: undefined,
} as const;

/** The info of `Deno.serve`. */
const info = { completed: Promise.resolve() };

const bytes = (length: number) => new Uint8Array(length).fill(7);

const chunks = (...lengths: number[]) =>
  ReadableStream.from(lengths.map((length) => bytes(length)));

const bodies: [what: string, respond: () => Response][] = [
  ["a string", () => new Response("h\u00e9llo")],
  ["an empty string", () => new Response("")],
  ["JSON", () => Response.json({ a: 1 })],
  ["a form", () => new Response(new URLSearchParams({ a: "1" }))],
  ["64 KiB", () => new Response(bytes(65_536))],
  ["over 64 KiB", () => new Response(bytes(65_537))],
  ["a stream", () => new Response(chunks(10, 0, 20))],
  ["an ended stream", () => new Response(chunks())],
];

for (const [what, respond] of bodies) {
  Deno.test(`logger() with countBytes sends and counts ${what} under Deno.serve`, async () => {
    const { router, infos, line } = createApp(respond);
    await using server = serveLocally(router.fetch);
    const response = await fetch(`http://127.0.0.1:${server.addr.port}`);
    const expected = new Uint8Array(await respond().arrayBuffer());
    assertEquals(new Uint8Array(await response.arrayBuffer()), expected);
    await line;
    const contentLength = expected.length;
    assertEquals(infos.map(brief), [{ ...complete, contentLength }]);
    assertEquals(
      response.headers.get("Content-Type"),
      respond().headers.get("Content-Type"),
    );
  });
}

Deno.test("logger() with countBytes keeps the status and the headers of a small body under Deno.serve", async () => {
  const { router } = createApp(() =>
    new Response("abc", {
      status: 418,
      statusText: "Teapot",
      headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]],
    })
  );
  const response = await router.fetch(
    new Request("https://example.com/"),
    info,
  );
  assertEquals([response.status, response.statusText], [418, "Teapot"]);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assertEquals(await response.text(), "abc");
});

Deno.test("logger() with countBytes does not wait for a stream under Deno.serve", async () => {
  let body: ReadableStreamDefaultController<Uint8Array>;
  const { router, infos } = createApp(() =>
    new Response(
      new ReadableStream({ start: (controller) => void (body = controller) }),
    )
  );
  const response = await router.fetch(
    new Request("https://example.com/"),
    info,
  );
  body!.enqueue(bytes(1));
  body!.enqueue(bytes(2));
  body!.enqueue(bytes(3));
  body!.close();
  assertEquals(new Uint8Array(await response.arrayBuffer()), bytes(6));
  assertEquals(infos.map(brief), [{ ...complete, contentLength: 6 }]);
});

for (const sent of [0, 1, 2, 3]) {
  Deno.test(`logger() with countBytes reports a stream under Deno.serve that fails after ${sent} chunks`, async () => {
    const { router, infos } = createApp(() => new Response(failingAfter(sent)));
    const response = await router.fetch(
      new Request("https://example.com/"),
      info,
    );
    await assertRejects(() => response.text(), RangeError);
    assertEquals(infos.map(brief), [{
      status: 200,
      contentLength: sent,
      outcome: "failed",
      error: "RangeError",
    }]);
  });
}

Deno.test("logger() with countBytes cancels a stream under Deno.serve when the client leaves", async () => {
  let cancelled: unknown;
  const { router, infos } = createApp(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(bytes(10)),
        cancel: (reason) => void (cancelled = reason),
      }),
    )
  );
  const response = await router.fetch(
    new Request("https://example.com/"),
    info,
  );
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel("gone");
  assertEquals(cancelled, "gone");
  assertEquals(infos.map(brief), [
    { ...complete, outcome: "aborted", contentLength: 10 },
  ]);
});

/** Creates a body with a number of chunks of one byte, and an error. */
function failingAfter(count: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent++ === count) throw new RangeError("with a secret");
      controller.enqueue(bytes(1));
    },
  });
}
