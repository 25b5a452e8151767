/** Requests while a real store is down. */
import { SessionStoreError } from "@gatehouse/web/session";
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { Browser, Server } from "../session/_browser.ts";
import { findProgram, startRedis } from "./_servers.ts";
import { openStore } from "./_session_stores.ts";

const redis = findProgram("redis-server", "an outage of Redis");

const BROWSERS = 20;
const OUTAGE = 5_000;
const TIMEOUT = 500;

Deno.test({
  name: "session() fails in less than 100 ms while Redis does not respond",
  ignore: redis === null,
  fn: async () => {
    const redisServer = await startRedis(redis!);
    const { store, close } = await openStore("redis", redisServer.port);
    const reasons = new Set<unknown>();
    const server = new Server({ store, storeTimeout: TIMEOUT }, (error) => {
      reasons.add(error instanceof SessionStoreError && error.cause?.message);
      return new Response(null, { status: 503 });
    });
    try {
      const browsers = await Promise.all(
        Array.from({ length: BROWSERS }, async () => {
          const browser = new Browser(server);
          await browser.visit((session) => session.set("userId", 7));
          return browser;
        }),
      );
      redisServer.freeze(true);
      const times = await visitUntil(performance.now() + OUTAGE, browsers);
      redisServer.freeze(false);
      assertGreater(times.length, 1_000);
      assertLess(times[Math.floor(times.length * 0.99)]!, 100);
      assertEquals([...reasons], [`No answer within ${TIMEOUT} ms`]);
      // The outage ends with the next attempt.
      await sleep(1_000 + TIMEOUT);
      for (const browser of browsers) {
        assertEquals(await browser.visit((session) => session.userId), 7);
        assertEquals(browser.response.status, 200);
      }
    } finally {
      redisServer.freeze(false);
      await close();
      await redisServer.stop();
    }
  },
});

/** Sends requests until a time, and returns their times in order. */
async function visitUntil(
  end: number,
  browsers: readonly Browser[],
): Promise<number[]> {
  const times: number[] = [];
  await Promise.all(browsers.map(async (browser) => {
    while (performance.now() < end) {
      const begun = performance.now();
      await browser.visit((session) => session.userId);
      times.push(performance.now() - begun);
      await sleep(20);
    }
  }));
  return times.sort((a, b) => a - b);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
