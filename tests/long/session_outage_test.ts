/** Requests while a real store is down. */
import { type SessionStore, SessionStoreError } from "@gatehouse/web/session";
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { Browser, Server } from "../session/_browser.ts";
import { findProgram, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";

const redis = findProgram("redis-server", "an outage of Redis");

const BROWSERS = 20;
const OUTAGE = 5_000;
const TIMEOUT = 500;

Deno.test({
  name: "session() seldom asks Redis while it does not respond",
  ignore: redis === null,
  fn: async () => {
    const redisServer = await startRedis(redis!);
    const { store, close } = await openStore("redis", redisServer.port);
    const reasons = new Set<unknown>();
    let calls = 0;
    const counted: SessionStore = {
      get: (key) => (calls++, store.get(key)),
      put: (...args) => store.put(...args),
      delete: (key) => store.delete(key),
    };
    const options = { store: counted, storeTimeout: TIMEOUT };
    const server = new Server(options, (error) => {
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
      calls = 0;
      redisServer.freeze(true);
      const requests = await visitUntil(performance.now() + OUTAGE, browsers);
      redisServer.freeze(false);
      // The first request of each browser waits, and then an attempt a second.
      assertLess(calls, 2 * BROWSERS + OUTAGE / 500);
      assertGreater(requests, 4 * calls);
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

/** Sends requests until a time, and returns their number. */
async function visitUntil(
  end: number,
  browsers: readonly Browser[],
): Promise<number> {
  let requests = 0;
  await Promise.all(browsers.map(async (browser) => {
    while (performance.now() < end) {
      await browser.visit((session) => session.userId);
      requests++;
      await sleep(20);
    }
  }));
  return requests;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
