/** Streams that `forwardTo` passes between a real client and a real API. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { forwardTo } from "@gatehouse/web/auth/tokens";
import { createRouter } from "@gatehouse/web/fetch-router";

const address = { hostname: "127.0.0.1", port: 0, onListen() {} };
const headers = { "Sec-Fetch-Site": "same-origin" };
const encoder = new TextEncoder();

/** Serves an API, and an application that forwards `/api` to it. */
function start(handler: (request: Request) => Response | Promise<Response>) {
  const api = Deno.serve(address, (request) => handler(request));
  const router = createRouter();
  const accessToken = "the-token-of-the-user-0123456789";
  router.mount(
    "/api",
    forwardTo(`http://127.0.0.1:${api.addr.port}`, {
      tokens: { get: () => Promise.resolve({ ok: true, accessToken }) },
      paths: { "/notes": ["GET", "POST"] },
      onError: () => {},
    }),
  );
  const app = Deno.serve(address, router.fetch);
  return {
    url: `http://127.0.0.1:${app.addr.port}/api/notes`,
    async [Symbol.asyncDispose]() {
      await app.shutdown();
      await api.shutdown();
    },
  };
}

Deno.test("forwardTo() passes each part of a body before the next one exists", async () => {
  await using server = start(({ body }) => new Response(body));
  const upload = new TransformStream<Uint8Array, Uint8Array>();
  const writer = upload.writable.getWriter();
  const init = { method: "POST", headers, body: upload.readable };
  const sending = fetch(server.url, init);
  const first = writer.write(encoder.encode("one"));
  const response = await sending;
  await first;
  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  assertEquals((await reader.read()).value, "one");
  await writer.write(encoder.encode("two"));
  assertEquals((await reader.read()).value, "two");
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("forwardTo() ends the API's response when the client leaves", async () => {
  const left = Promise.withResolvers<void>();
  await using server = start(() =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("part")),
        cancel: () => left.resolve(),
      }),
    )
  );
  const client = new AbortController();
  const response = await fetch(server.url, { headers, signal: client.signal });
  const reader = response.body!.getReader();
  await reader.read();
  client.abort();
  await reader.read().catch(() => {});
  await left.promise;
});

Deno.test("forwardTo() aborts its request when the client leaves before the response", async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  await using server = start(async ({ signal }) => {
    begun.resolve();
    signal.addEventListener("abort", () => left.resolve());
    await left.promise;
    return new Response("late");
  });
  const client = new AbortController();
  const response = fetch(server.url, { headers, signal: client.signal });
  await begun.promise;
  const abortedAt = performance.now();
  client.abort();
  await response.catch(() => {});
  await left.promise;
  // Otherwise the timeout of the response aborts it, after 30 seconds.
  assertLess(performance.now() - abortedAt, 10_000);
});

Deno.test("forwardTo() reads no more of the API's response than the client does", async () => {
  const size = 65_536;
  let sent = 0;
  await using server = start(() =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += size;
          controller.enqueue(new Uint8Array(size));
        },
      }, { highWaterMark: 0 }),
    )
  );
  const client = new AbortController();
  const response = await fetch(server.url, { headers, signal: client.signal });
  const reader = response.body!.getReader();
  await reader.read();
  await new Promise((done) => setTimeout(done, 500));
  const before = sent;
  await new Promise((done) => setTimeout(done, 500));
  // The buffers of two connections are full.
  assertEquals(sent, before);
  assert(sent < 40_000_000, `${sent}`);
  client.abort();
  await reader.read().catch(() => {});
});
