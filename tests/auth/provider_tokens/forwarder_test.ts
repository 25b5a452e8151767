import { assert, assertEquals, assertMatch } from "@std/assert";
import { turns, until } from "../../_wait.ts";
import { ForwardApp, TOKEN } from "../_forward.ts";

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
