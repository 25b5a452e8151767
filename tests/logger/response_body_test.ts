import { assert, assertEquals, assertRejects } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  logger,
  type LogInfo,
  type LogSampling,
} from "@gatehouse/web/logger-middleware";

/** Creates a router that counts bytes, and collects its log. */
function serve(
  respond: () => Response,
  sample?: LogSampling,
  now?: () => number,
) {
  const infos: LogInfo[] = [];
  const router = createRouter({
    middleware: [logger({
      countBytes: true,
      now,
      sample,
      format: (info) => {
        infos.push(info);
        return "";
      },
      output: () => {},
    })],
    onError: () => new Response(null, { status: 500 }),
  });
  router.get("/", respond);
  // Servers pass a second argument.
  const fetch = (method = "GET") =>
    router.fetch(new Request("https://example.com/", { method }), {});
  return { infos, fetch };
}

/** Picks the fields that these tests compare. */
function brief({ status, contentLength, outcome, error }: LogInfo) {
  return { status, contentLength, outcome, error };
}

/** Creates a body with a number of chunks of 10 bytes, and an end. */
function streamOf(chunks: number, end: "close" | "error" | "hang") {
  let cancelled: unknown;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Promise.resolve();
      if (sent++ < chunks) return controller.enqueue(new Uint8Array(10));
      if (end === "close") return controller.close();
      if (end === "error") throw new RangeError("with a secret");
      return new Promise(() => {});
    },
    cancel(reason) {
      cancelled = reason;
    },
  }, { highWaterMark: 0 });
  return { body, cancelled: () => cancelled };
}

const bodies: [what: string, () => Response, bytes: number][] = [
  ["a string", () => new Response("h\u00e9llo"), 6],
  ["an empty string", () => new Response(""), 0],
  ["bytes", () => new Response(new Uint8Array(100_000)), 100_000],
  ["JSON", () => Response.json({ a: 1 }), 7],
  ["a form", () => new Response(new URLSearchParams({ a: "1" })), 3],
  ["a blob", () => new Response(new Blob(["abc"])), 3],
  ["a stream", () => new Response(streamOf(3, "close").body), 30],
  ["an empty stream", () => new Response(streamOf(0, "close").body), 0],
];

for (const [what, respond, bytes] of bodies) {
  Deno.test(`logger() with countBytes counts and sends ${what}`, async () => {
    const { infos, fetch } = serve(respond);
    const response = await fetch();
    assertEquals(infos.length, 0, "not before the end of the body");
    const body = new Uint8Array(await response.arrayBuffer());
    assertEquals(body, new Uint8Array(await respond().arrayBuffer()));
    assertEquals(infos.map(brief), [{
      status: 200,
      contentLength: bytes,
      outcome: "complete",
      error: undefined,
    }]);
  });
}

Deno.test("logger() with countBytes keeps status and headers", async () => {
  const { fetch } = serve(() =>
    new Response("abc", {
      status: 418,
      statusText: "Teapot",
      headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"], [
        "Content-Type",
        "text/x",
      ]],
    })
  );
  const response = await fetch();
  assertEquals([response.status, response.statusText], [418, "Teapot"]);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assertEquals(response.headers.get("Content-Type"), "text/x");
  await response.text();
});

for (const status of [204, 302, 304]) {
  Deno.test(`logger() with countBytes logs ${status} without a body at once`, async () => {
    const { infos, fetch } = serve(() => new Response(null, { status }));
    await fetch();
    assertEquals(infos.map(brief), [{
      status,
      contentLength: 0,
      outcome: "complete",
      error: undefined,
    }]);
  });
}

Deno.test("logger() with countBytes logs HEAD once, with no bytes", async () => {
  const { infos, fetch } = serve(() => new Response("abc"));
  const { body } = await fetch("HEAD");
  // Servers drop it at once.
  await body?.cancel();
  assertEquals(infos.map(brief), [{
    status: 200,
    contentLength: 0,
    outcome: "complete",
    error: undefined,
  }]);
});

Deno.test("logger() with countBytes reports a body that the client left", async () => {
  const { body, cancelled } = streamOf(2, "hang");
  const { infos, fetch } = serve(() => new Response(body));
  const reader = (await fetch()).body!.getReader();
  await reader.read();
  await reader.cancel("gone");
  assertEquals(infos.map(brief), [{
    status: 200,
    contentLength: 10,
    outcome: "aborted",
    error: undefined,
  }]);
  assertEquals(cancelled(), "gone", "the handler can clean up");
});

Deno.test("logger() with countBytes logs once if the client leaves during a read", async () => {
  const { body } = streamOf(0, "hang");
  const { infos, fetch } = serve(() => new Response(body));
  const reader = (await fetch()).body!.getReader();
  const reading = reader.read();
  await reader.cancel();
  assertEquals((await reading).done, true);
  assertEquals(infos.map(({ outcome }) => outcome), ["aborted"]);
});

Deno.test("logger() with countBytes reports a body that failed, with the error's name only", async () => {
  const { body } = streamOf(2, "error");
  const { infos, fetch } = serve(() => new Response(body));
  const response = await fetch();
  await assertRejects(() => response.text());
  assertEquals(infos.map(brief), [{
    status: 200,
    contentLength: 20,
    outcome: "failed",
    error: "RangeError",
  }]);
});

Deno.test("logger() with countBytes counts the bytes of a large chunk that the client read", async () => {
  const { infos, fetch } = serve(() => new Response(new Uint8Array(1_000_000)));
  const reader = (await fetch()).body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const { outcome, contentLength } = infos[0];
  assertEquals([outcome, contentLength], ["aborted", value!.byteLength]);
  assert(value!.byteLength < 1_000_000);
});

Deno.test("logger() with a sample always logs a body that failed, but samples one that the client left", async () => {
  const none = { rate: 0, random: () => 0.5 };
  const failed = serve(() => new Response(streamOf(1, "error").body), none);
  await assertRejects(async () => await (await failed.fetch()).text());
  assertEquals(failed.infos.map(({ outcome }) => outcome), ["failed"]);

  const left = serve(() => new Response(streamOf(1, "hang").body), none);
  await (await left.fetch()).body!.cancel();
  assertEquals(left.infos, []);
});

Deno.test("logger() with countBytes logs a throw once", async () => {
  const { infos, fetch } = serve(() => {
    throw new TypeError("with a secret");
  });
  await fetch();
  assertEquals(infos.map(brief), [{
    status: 500,
    contentLength: 0,
    outcome: "complete",
    error: "TypeError",
  }]);
});

Deno.test("logger() with countBytes does not touch a body that is being read", async () => {
  const response = new Response("abc");
  response.body?.getReader();
  const { infos, fetch } = serve(() => response);
  assert(await fetch() === response);
  assertEquals(infos.length, 1);
});

Deno.test("logger() with countBytes measures until the end of the body", async () => {
  let time = 1_000;
  const body = () =>
    new ReadableStream({
      pull(controller) {
        time += 30;
        controller.close();
      },
    }, { highWaterMark: 0 });
  const respond = () => new Response(body());
  const { infos, fetch } = serve(respond, undefined, () => time);
  await (await fetch()).text();
  assertEquals(infos[0].responseTime, 30);
});

Deno.test("logger() writes the outcome after the time in the short format", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      countBytes: true,
      format: "short",
      output: (line) => lines.push(line.replace(/\d+ms/, "0ms")),
    })],
  });
  router.get("/left", () => new Response(streamOf(1, "hang").body));
  router.get("/failed", () => new Response(streamOf(1, "error").body));
  await (await router.fetch("https://example.com/left")).body?.cancel();
  const failed = await router.fetch("https://example.com/failed");
  await assertRejects(() => failed.text());
  assertEquals(lines, [
    "GET /left 200 0ms aborted",
    "GET /failed 200 0ms failed",
  ]);
});

/** The chunks that Bun and Workers accept in addition to \`Uint8Array\`. */
const chunks: [what: string, chunk: unknown][] = [
  ["a string", "h\u00e9llo"],
  ["an ArrayBuffer", new TextEncoder().encode("h\u00e9llo").buffer],
  [
    "a view",
    new DataView(new TextEncoder().encode("-h\u00e9llo-").buffer, 1, 6),
  ],
];

for (const [what, chunk] of chunks) {
  Deno.test(`logger() with countBytes counts and sends a stream of ${what}`, async () => {
    const { infos, fetch } = serve(() =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(chunk as Uint8Array);
            controller.close();
          },
        }),
      )
    );
    assertEquals(await (await fetch()).text(), "h\u00e9llo");
    const [info] = infos;
    assertEquals([info!.contentLength, info!.outcome], [6, "complete"]);
  });
}
