import { assert, assertEquals, assertFalse } from "@std/assert";
import { ForwardApp } from "../_forward.ts";

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

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
