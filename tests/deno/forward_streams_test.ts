/** Streams that `forwardTo` passes between a real client and a real API. */
import { assert, assertEquals } from "@std/assert";
import { forwardTo } from "@gatehouse/web/auth/provider-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { untilStill } from "../_wait.ts";
import { serveLocally } from "./_serve.ts";

const headers = { "Sec-Fetch-Site": "same-origin" };
const encoder = new TextEncoder();

/** The longest time of a timer: about 25 days. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Serves an API, and an application that forwards `/api` to it. */
function start(
  handler: (request: Request) => Response | Promise<Response>,
  options: { readonly responseTimeout?: number } = {},
) {
  const api = serveLocally((request) => handler(request));
  const router = createRouter();
  const accessToken = "the-token-of-the-user-0123456789";
  router.mount(
    "/api",
    forwardTo(`http://127.0.0.1:${api.addr.port}`, {
      tokens: { get: () => Promise.resolve({ ok: true, accessToken }) },
      paths: { "/notes": ["GET", "POST"] },
      onError: () => {},
      ...options,
    }),
  );
  const app = serveLocally(router.fetch);
  const client = new AbortController();
  return {
    url: `http://127.0.0.1:${app.addr.port}/api/notes`,
    client,
    /** Aborts what the client still receives, because servers wait for it. */
    async [Symbol.asyncDispose]() {
      client.abort();
      await app.shutdown();
      await api.shutdown();
    },
  };
}

type Server = ReturnType<typeof start>;

/** Sends a request that ends with the server at the latest. */
function send({ client, url }: Server, init: RequestInit = {}) {
  return fetch(url, { ...init, headers, signal: client.signal });
}

Deno.test("forwardTo() passes each part of a body before the next one exists", async () => {
  await using server = start(({ body }) => new Response(body));
  const upload = new TransformStream<Uint8Array, Uint8Array>();
  const writer = upload.writable.getWriter();
  const sending = send(server, { method: "POST", body: upload.readable });
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
  const response = await send(server);
  const reader = response.body!.getReader();
  await reader.read();
  server.client.abort();
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
  }, { responseTimeout: MAX_TIMEOUT });
  const response = send(server);
  await begun.promise;
  server.client.abort();
  await response.catch(() => {});
  await left.promise;
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
  const response = await send(server);
  const reader = response.body!.getReader();
  await reader.read();
  // The buffers of two connections fill up.
  await untilStill(() => {
    assert(sent < 40_000_000, `${sent}`);
    return sent;
  });
  await reader.cancel();
});
