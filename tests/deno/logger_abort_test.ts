import { assert, assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger, type LogInfo } from "@gatehouse/web/logger-middleware";

/** A server that counts bytes, and what it logs. */
function serve() {
  const infos: LogInfo[] = [];
  const router = createRouter({
    middleware: [logger({
      countBytes: true,
      format: (info) => {
        infos.push(info);
        return "";
      },
      output: () => {},
    })],
  });
  router.get("/whole", () => new Response("x".repeat(100_000)));
  router.get("/endless", () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          controller.enqueue(new Uint8Array(1000));
        },
      }),
    ));
  router.get("/failing", () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1000));
          controller.error(new RangeError("with a secret"));
        },
      }),
    ));
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError },
    router.fetch,
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return { infos, origin, [Symbol.asyncDispose]: () => server.shutdown() };
}

function onError(): Response {
  return new Response(null, { status: 500 });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 400 && !isTrue(); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert(isTrue());
}

Deno.test("logger() on Deno.serve tells a response that was sent from one that the client left", async () => {
  await using server = serve();
  await (await fetch(`${server.origin}/whole`)).text();
  const controller = new AbortController();
  const { signal } = controller;
  const response = await fetch(`${server.origin}/endless`, { signal });
  await response.body!.getReader().read();
  controller.abort();
  await until(() => server.infos.length === 2);

  const [whole, endless] = server.infos;
  assertEquals([whole.outcome, whole.contentLength], ["complete", 100_000]);
  assertEquals(endless.outcome, "aborted");
  assert(endless.contentLength! >= 1000, "some was sent");
  assert(whole.remoteAddress === "127.0.0.1");
});

Deno.test("logger() on Deno.serve tells a body that failed", async () => {
  await using server = serve();
  try {
    await (await fetch(`${server.origin}/failing`)).text();
  } catch {
    // The connection breaks off.
  }
  await until(() => server.infos.length === 1);
  const [{ outcome, error }] = server.infos;
  assertEquals({ outcome, error }, { outcome: "failed", error: "RangeError" });
});
