import { assert, assertEquals, assertRejects } from "@std/assert";
import { turns } from "../../_wait.ts";
import { ForwardApp, TOKEN } from "../_forward.ts";

Deno.test("forwardTo() refuses an access token in the query (RFC 6750, section 2.3)", async () => {
  const app = new ForwardApp();
  for (const query of ["access_token=x", "a=1&access%5ftoken=x"]) {
    assertEquals((await app.send(`/notes?${query}`)).status, 400);
  }
  assertEquals(app.received, []);
});

Deno.test("forwardTo() passes on what contains a token of fewer than 16 characters, which may occur by chance", async () => {
  const short = "a".repeat(15);
  for (
    const [token, isPassed] of [[short, true], [`${short}a`, false]] as const
  ) {
    const app = new ForwardApp({ responseHeaders: ["X-Echo"] });
    app.results = [{ ok: true, accessToken: token }];
    app.answer = () => new Response(token, { headers: { "X-Echo": token } });
    const response = await app.send("/notes");
    assertEquals(response.headers.get("X-Echo"), isPassed ? token : null);
    const body = await response.text().catch(() => null);
    assertEquals(body, isPassed ? token : null);
  }
});

Deno.test("forwardTo() ends a response that stops, is too long or too large", async () => {
  const part = new Uint8Array(10);
  const slow = () =>
    new ReadableStream({
      async pull(controller) {
        await turns();
        controller.enqueue(part);
      },
    }, { highWaterMark: 0 });
  const rows = [
    [{ idleTimeout: 20 }, () => new ReadableStream(), "no data within 20 ms"],
    [
      { totalTimeout: 300 },
      slow,
      "no complete response within 300 ms",
    ],
    [{ maxResponseBytes: 25 }, slow, "more than 25 bytes"],
  ] as const;
  for (const [options, body, reason] of rows) {
    const app = new ForwardApp(options);
    app.answer = () => new Response(body());
    const response = await app.send("/notes");
    assertEquals(response.status, 200);
    await assertRejects(() => response.arrayBuffer());
    assertEquals(app.errors, [
      `Cannot forward to "https://api.example": ${reason}`,
    ]);
    assert(app.received[0].signal.aborted);
  }
});

Deno.test("forwardTo() answers 502 to a response that declares too many bytes", async () => {
  const app = new ForwardApp({ maxResponseBytes: 25 });
  app.answer = () =>
    new Response("x".repeat(26), { headers: { "Content-Length": "26" } });
  const response = await app.send("/notes");
  assertEquals([response.status, await response.text()], [502, "Bad Gateway"]);
});

Deno.test("forwardTo() reads no more of a response than the client does", async () => {
  const app = new ForwardApp();
  let produced = 0;
  app.answer = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1_000));
          produced++;
        },
      }, { highWaterMark: 0 }),
    );
  const response = await app.send("/notes");
  const reader = response.body!.getReader();
  await reader.read();
  await turns(20);
  assert(produced < 10, `${produced}`);
  await reader.cancel();
});

Deno.test("forwardTo() never returns the token, even if the API repeats it", async () => {
  const half = TOKEN.length / 2;
  const bodies = [
    [`before ${TOKEN} after`],
    [`before ${TOKEN.slice(0, half)}`, `${TOKEN.slice(half)} after`],
    [...TOKEN],
    [TOKEN.slice(0, -1), TOKEN.slice(-1)],
    [TOKEN.slice(0, 4) + TOKEN.slice(0, half), TOKEN.slice(half)],
  ];
  for (const parts of bodies) {
    const app = new ForwardApp();
    const encoder = new TextEncoder();
    app.answer = () =>
      new Response(
        ReadableStream.from(parts.map((part) => encoder.encode(part))),
      );
    const response = await app.send("/notes");
    let seen = "";
    await assertRejects(async () => {
      const decoder = new TextDecoder();
      const reader = response.body!.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        seen += decoder.decode(value);
      }
    });
    assert(!seen.includes(TOKEN.slice(0, 8)), seen);
    assertEquals(app.errors, [
      'Cannot forward to "https://api.example": it contains the access token',
    ]);
  }
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("forwardTo() passes on a body that ends with the beginning of the token", async () => {
  for (const length of [1, 8, TOKEN.length - 1]) {
    const text = `before ${TOKEN.slice(0, length)}`;
    const app = new ForwardApp();
    app.answer = () => new Response(ReadableStream.from([text].map(encode)));
    const response = await app.send("/notes");
    assertEquals(await response.text(), text);
  }
});

Deno.test("forwardTo() leaves out a response header that repeats the token", async () => {
  const app = new ForwardApp({ responseHeaders: ["X-Echo"] });
  app.answer = () =>
    new Response("ok", { headers: { "X-Echo": `Bearer ${TOKEN}` } });
  const response = await app.send("/notes");
  assertEquals(response.headers.get("X-Echo"), null);
  assertEquals(await response.text(), "ok");
});
