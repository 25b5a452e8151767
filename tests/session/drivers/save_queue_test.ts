/** Many requests of one process that save the same session. */
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { assertEquals, assertLess } from "@std/assert";
import { until } from "../../_wait.ts";
import { Browser, Server } from "../_browser.ts";

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
  const { promise, reject } = Promise.withResolvers<boolean>();
  const { browser } = await start((put) => {
    if (hanging === 0) return put();
    hanging--;
    return promise;
  }, 60_000);
  const ended: number[] = [];
  const writing = writeMany(browser, 50, () => hanging = 1, ended);
  await until(() => ended.length === 49);
  assertEquals(ended, Array(49).fill(200));
  reject(new Error("The connection was lost"));
  await writing;
  assertEquals(ended.at(-1), 500);
});

Deno.test("session() does not make requests wait one after another while each save hangs", async () => {
  let isHanging = false;
  let saves = 0;
  const { browser } = await start((put) => {
    if (!isHanging) return put();
    saves++;
    return new Promise(() => {});
  }, 500);
  const statuses = await writeMany(browser, 50, () => isHanging = true);
  assertEquals(statuses, Array(50).fill(500));
  // Each request waited for two calls at most.
  assertLess(saves, 5);
});

Deno.test("session() lets one more request go on, not all, while a save is slow", async () => {
  let isSlow = false;
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const { browser, calls } = await start(async (put) => {
    most = Math.max(most, ++running);
    if (isSlow) await gate.promise;
    running--;
    return await put();
  }, 60_000);
  const writing = writeMany(browser, 300, () => {
    calls.length = 0;
    isSlow = true;
  });
  await until(() => running === 2);
  // A third request would go on while other sessions wait just as long.
  for (let turn = 0; turn < 3; turn++) await waitForSecondSave();
  isSlow = false;
  gate.resolve();
  assertEquals(await writing, Array(300).fill(200));
  assertEquals(most, 2);
  assertLess(calls.length, 2 * 300 + 10);
});

Deno.test("session() refuses at once if a thousand requests wait to save", async () => {
  let isSlow = false;
  const gate = Promise.withResolvers<void>();
  const { browser } = await start(async (put) => {
    if (isSlow) await gate.promise;
    return await put();
  }, 60_000);
  const ended: number[] = [];
  const writing = writeMany(browser, 1_050, () => isSlow = true, ended);
  await until(() => ended.length === 49);
  assertEquals(ended, Array(49).fill(500));
  isSlow = false;
  gate.resolve();
  await writing;
  assertEquals(ended.slice(49), Array(1_001).fill(200));
});

/** Waits until a request of another session no longer waits for a slow save. */
async function waitForSecondSave(): Promise<void> {
  let isSlow = false;
  let running = 0;
  const gate = Promise.withResolvers<void>();
  const { browser } = await start(async (put) => {
    running++;
    if (isSlow) await gate.promise;
    return await put();
  }, 60_000);
  const writing = writeMany(browser, 2, () => {
    isSlow = true;
    running = 0;
  });
  await until(() => running === 2);
  gate.resolve();
  assertEquals(await writing, [200, 200]);
}

/** Sends concurrent requests that load the session before any of them saves. */
async function writeMany(
  browser: Browser,
  count: number,
  begin: () => void,
  ended: number[] = [],
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
    ended.push(response.status);
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
