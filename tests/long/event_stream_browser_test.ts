/** `eventStream()` in a browser: its `EventSource` reconnects, and leaves. */
import { eventStream } from "@gatehouse/web/content";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { serveLocally } from "../deno/_serve.ts";

/** Collects the events of a stream until the fifth. */
const READ_FIVE = `new Promise((resolve) => {
  const source = new EventSource("/events");
  const received = [];
  source.addEventListener("count", ({ data, lastEventId }) => {
    received.push(data + " " + lastEventId);
    if (received.length < 5) return;
    source.close();
    resolve(received);
  });
})`;

testInChromium(
  "Chromium: an EventSource continues a stream where it broke off, and closing it aborts the signal",
  async () => {
    const asked: string[] = [];
    const left = Promise.withResolvers<void>();
    const router = createRouter();
    router.get("/", () =>
      new Response("<!doctype html><title>Page</title>", {
        headers: { "Content-Type": "text/html; charset=utf-8" },
      }));
    router.get(
      "/events",
      (context) =>
        eventStream(context, async function* ({ lastEventId, signal }) {
          asked.push(lastEventId);
          const first = Number(lastEventId) + 1;
          for (let id = first; id < first + 3; id++) {
            yield {
              event: "count",
              id: `${id}`,
              data: `line ${id}\nö`,
              retry: 10,
            };
          }
          if (asked.length === 1) return; // The connection ends.
          signal.addEventListener("abort", () => left.resolve());
          await left.promise;
        }),
    );
    await using server = serveLocally(router.fetch);
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.addr.port}/`);
      assertEquals(
        await page.evaluate(READ_FIVE),
        [1, 2, 3, 4, 5].map((id) => `line ${id}\nö ${id}`),
      );
      assertEquals(asked, ["", "3"]);
      await left.promise;
    } finally {
      await browser.close();
    }
  },
);
