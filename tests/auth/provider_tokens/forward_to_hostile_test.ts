import { assert, assertEquals, assertFalse, assertMatch } from "@std/assert";
import { turns, until } from "../../_wait.ts";
import { ForwardApp, TOKEN } from "../_forward.ts";

Deno.test("forwardTo() refuses requests that no script of its origin sent", async () => {
  const rows: [Record<string, string>, number][] = [
    [{ "Sec-Fetch-Site": "same-origin" }, 200],
    [{ "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty" }, 200],
    [{ "X-Requested-With": "XMLHttpRequest" }, 200],
    [{}, 403],
    [{ Origin: "https://app.example" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "none" }, 403],
    [{ "Sec-Fetch-Site": "none", "X-Requested-With": "x" }, 403],
    [{ "Sec-Fetch-Site": "cross-site", "X-Requested-With": "x" }, 403],
    [{ "Sec-Fetch-Site": "same-origin, cross-site" }, 403],
    [{ "Sec-Fetch-Site": "" }, 403],
    ...["document", "iframe", "script", "image", "style", "worker", "object"]
      .map((kind): [Record<string, string>, number] => [
        { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": kind },
        403,
      ]),
    [{ "Sec-Fetch-Site": "same-origin", Upgrade: "websocket" }, 501],
    [{ "Sec-Fetch-Site": "same-origin", Upgrade: "h2c, WebSocket" }, 501],
    [{ "Sec-Fetch-Site": "cross-site", Upgrade: "websocket" }, 403],
  ];
  for (const [headers, status] of rows) {
    const app = new ForwardApp();
    const url = "https://app.example/api/notes";
    const response = await app.router.fetch(url, { headers });
    await response.body?.cancel();
    assertEquals(response.status, status, JSON.stringify(headers));
    assertEquals(app.received.length, status === 200 ? 1 : 0);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
  }
});

Deno.test("forwardTo() turns redirects and invalid statuses into a 502", async () => {
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    const app = new ForwardApp();
    const headers = { Location: "https://evil.example/" };
    app.answer = () => new Response("secret detail", { status, headers });
    const response = await app.send("/notes");
    assertEquals(response.status, 502);
    assertEquals(response.headers.get("Location"), null);
    assertEquals(await response.text(), "Bad Gateway");
    assertEquals(app.received.length, 1);
    assertEquals(app.errors, [
      `Cannot forward to "https://api.example": status ${status}, and redirects are not followed`,
    ]);
  }
});

Deno.test("forwardTo() passes a 304 and other statuses without a body", async () => {
  for (const status of [204, 205, 304]) {
    const app = new ForwardApp();
    app.answer = () => new Response(null, { status, headers: { ETag: '"1"' } });
    const response = await app.send("/notes");
    assertEquals([response.status, response.body], [status, null]);
    assertEquals(response.headers.get("ETag"), '"1"');
    // Its timers end too.
    assert(app.received[0].signal.aborted);
  }
});

Deno.test("forwardTo() leaves it to the body to end a request whose response has begun", async () => {
  const app = new ForwardApp();
  const client = new AbortController();
  app.answer = () =>
    new Response(ReadableStream.from([encode("no"), encode("tes")]));
  const response = await app.send("/notes", { signal: client.signal });
  client.abort();
  assertFalse(app.received[0].signal.aborted);
  assertEquals(await response.text(), "notes");
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

Deno.test("forwardTo() answers 502 without a detail if the API is unavailable", async () => {
  const app = new ForwardApp();
  app.answer = () => {
    throw new TypeError(
      `error for https://api.example/v1/notes?name=ada: ${TOKEN}\r\nforged`,
    );
  };
  const headers = { Accept: "application/json" };
  const response = await app.send("/notes?name=ada", { headers });
  assertEquals(response.status, 502);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const body = await response.json();
  assertEquals(body, { title: "Bad Gateway", status: 502 });
  assertEquals(app.errors, [
    'Cannot forward to "https://api.example": error for https://api.example/v1/notes?… … forged',
  ]);
});

Deno.test("forwardTo() answers 504 if the response does not begin in time", async () => {
  const app = new ForwardApp({ responseTimeout: 20 });
  const { promise, resolve } = Promise.withResolvers<Response>();
  let isCanceled = false;
  app.answer = () => promise;
  const response = await app.send("/notes");
  assertEquals(response.status, 504);
  assertEquals(await response.text(), "Gateway Timeout");
  assert(app.received[0].signal.aborted);
  // A `fetch` that ignores the signal may still return a response.
  resolve(
    new Response(
      new ReadableStream({
        cancel() {
          isCanceled = true;
        },
      }),
    ),
  );
  await until(() => isCanceled);
});

Deno.test("forwardTo() cancels the API's response when the client leaves", async () => {
  const app = new ForwardApp();
  let reason: unknown;
  app.answer = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel(given) {
          reason = given;
        },
      }),
    );
  const response = await app.send("/notes");
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel("left");
  assertEquals(reason, "left");
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

Deno.test("forwardTo() aborts its request when the client leaves before the response", async () => {
  const app = new ForwardApp();
  const client = new AbortController();
  app.answer = ({ signal }) => {
    client.abort();
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
    });
  };
  await app.send("/notes", { signal: client.signal }).catch(() => {});
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("forwardTo() cancels a response of the API that has more bytes than allowed", async () => {
  let reason = "";
  const app = new ForwardApp({ maxResponseBytes: 1_000 });
  app.answer = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(600)),
        cancel: (error) => void (reason = String(error)),
      }),
    );
  const response = await app.send("/notes");
  const read = await response.text().then(() => "read", () => "failed");
  assertEquals(read, "failed");
  await turns();
  assertMatch(reason, /1000 bytes/);
});
