/** Many requests of one process that save the same session. */
import { assertEquals, assertLess } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";

Deno.test("session() saves with one store call if no other request saves", async () => {
  const { browser, calls } = await start();
  for (let count = 0; count < 3; count++) {
    calls.length = 0;
    await browser.visit((session) => session.set("count", count));
    assertEquals(calls, ["get", "put"]);
  }
});

Deno.test("session() saves 600 concurrent writes with two store calls each", async () => {
  const { browser, calls } = await start();
  const statuses = await writeMany(browser, 600, () => calls.length = 0);
  assertEquals(statuses, Array(600).fill(200));
  assertLess(calls.length, 2 * 600);
  assertEquals(await browser.visit((session) => session.get("count")), 600);
});

Deno.test("session() lets other requests save if a save hangs", async () => {
  let hanging = 0;
  const { browser } = await start((put) => {
    if (hanging === 0) return put();
    hanging--;
    return new Promise(() => {});
  }, 3_000);
  const started = performance.now();
  const finished: number[] = [];
  const statuses = await writeMany(browser, 50, () => hanging = 1, () => {
    finished.push(performance.now() - started);
  });
  assertEquals(statuses.filter((status) => status === 200).length, 49);
  assertEquals(statuses.filter((status) => status === 500).length, 1);
  assertLess(finished[48], 2_500);
});

Deno.test("session() does not make requests wait one after another while each save hangs", async () => {
  let isHanging = false;
  const { browser } = await start(
    (put) => isHanging ? new Promise(() => {}) : put(),
    500,
  );
  const started = performance.now();
  const statuses = await writeMany(browser, 50, () => isHanging = true);
  assertEquals(statuses, Array(50).fill(500));
  assertLess(performance.now() - started, 5_000);
});

/** Sends concurrent requests that load the session before any of them saves. */
async function writeMany(
  browser: Browser,
  count: number,
  begin: () => void,
  end = () => {},
): Promise<number[]> {
  const isLoaded = Promise.withResolvers<void>();
  let waiting = count;
  const responses = Array.from({ length: count }, async () => {
    const response = await browser.server.request(async (session) => {
      if (--waiting === 0) {
        begin();
        isLoaded.resolve();
      }
      await isLoaded.promise;
      session.update("count", (count) => Number(count ?? 0) + 1);
    }, { Cookie: browser.header });
    end();
    return response.status;
  });
  return await Promise.all(responses);
}

/** Starts a server on a store that answers later, and begins a session. */
async function start(
  intercept: (
    put: () => boolean | Promise<boolean>,
  ) => boolean | Promise<boolean> = (put) => put(),
  storeTimeout?: number,
): Promise<{ browser: Browser; calls: string[] }> {
  const memory = createMemorySessionStore();
  const calls: string[] = [];
  const store: SessionStore = {
    get: async (key) => {
      calls.push("get");
      return await memory.get(key);
    },
    put: async (...args) => {
      calls.push("put");
      return await intercept(() => memory.put(...args));
    },
    delete: (key) => memory.delete(key),
  };
  const options = storeTimeout === undefined ? {} : { storeTimeout };
  const browser = new Browser(new Server({ store, ...options }));
  await browser.visit((session) => session.set("begun", true));
  return { browser, calls };
}
