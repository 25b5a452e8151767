import { assert, assertEquals, assertLess } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
  type StoredValue,
} from "@gatehouse/web/session";
import { rateLimit } from "@gatehouse/web/session-middleware";
import { turns } from "../_wait.ts";
import { createLimited, HOUR, send, statuses } from "./_limited.ts";

const now = 1_700_000_000_000;

/** Makes each call of a store take a moment, in an order that changes. */
function slow(
  store: SessionStore,
): { store: SessionStore; calls: () => number } {
  let calls = 0;
  const later = async <Value>(call: () => Value) => {
    calls++;
    await turns(1 + calls % 3);
    const value = call();
    await turns();
    return value;
  };
  return {
    calls: () => calls,
    store: {
      get: async (key) => await later(() => store.get(key)),
      put: async (key, value, options) =>
        await later(() => store.put(key, value, options)),
      delete: async (key) => await later(() => store.delete(key)),
    },
  };
}

/** Makes only the writes of a store take a moment, as a replica does. */
function slowWrites(store: SessionStore): ReturnType<typeof slow> {
  const { store: { put }, calls } = slow(store);
  const get: SessionStore["get"] = (key) => store.get(key);
  return { calls, store: { get, put, delete: (key) => store.delete(key) } };
}

const stores: [string, (store: SessionStore) => ReturnType<typeof slow>][] = [
  ["fast", (store) => ({ store, calls: () => 0 })],
  ["slow", slow],
  ["replicated", slowWrites],
];

for (const [what, wrap] of stores) {
  Deno.test(`rateLimit() lets exactly 100 of 1,000 parallel requests pass on a ${what} store`, async () => {
    const { store, calls } = wrap(createMemorySessionStore());
    const { router } = createLimited({ store, limit: 100 });
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, () => send(router)),
    );
    const passed = responses.filter(({ status }) => status === 200);
    assertEquals(passed.length, 100);
    // Concurrent requests share their calls.
    assertLess(calls(), 20);
    const left = passed.map(({ headers }) => headers.get("RateLimit"));
    assertEquals(new Set(left).size, 100);
  });
}

Deno.test("rateLimit() never asks the store twice at once about one key", async () => {
  const memory = createMemorySessionStore();
  let running = 0;
  let most = 0;
  const slowly = async <Value>(call: () => Value): Promise<Awaited<Value>> => {
    most = Math.max(most, ++running);
    await turns(3);
    running--;
    return await call();
  };
  const store: SessionStore = {
    get: (key) => slowly(() => memory.get(key)),
    put: (...args) => slowly(() => memory.put(...args)),
    delete: (key) => memory.delete(key),
  };
  const { router } = createLimited({ store, limit: 1_000 });
  // Until the first call, the store could be one in memory.
  await send(router);
  most = 0;
  // Requests arrive in each turn, also while others wait for the next decision.
  const all: Promise<Response>[] = [];
  for (let count = 0; count < 40; count++) {
    all.push(send(router));
    await turns();
  }
  await Promise.all(all);
  assertEquals(most, 1);
});

Deno.test("rateLimit() lets exactly 100 of 1,000 parallel requests pass on ten machines", async () => {
  const memory = createMemorySessionStore();
  const routers = Array.from(
    { length: 10 },
    () => createLimited({ store: slow(memory).store, limit: 100 }).router,
  );
  const found = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => send(routers[index % 10])),
  );
  assertEquals(found.filter(({ status }) => status === 200).length, 100);
});

Deno.test("rateLimit() gives up if the store never saves, and no request passes", async () => {
  let puts = 0;
  const store: SessionStore = {
    get: () => null,
    put: () => ++puts < 0,
    delete: () => {},
  };
  const { router } = createLimited({ store });
  assertEquals(await statuses(router, 1), [429]);
  assertEquals(puts, 100);
});

const stored: readonly [value: string, passed: number][] = [
  ["", 3],
  ["x", 3],
  ["[]", 3],
  ["1", 3],
  [`NaN ${now}`, 3],
  [`-5 ${now}`, 3],
  [`1e999 ${now}`, 0],
  [`1000000 ${now}`, 0],
  [`2 ${now}`, 1],
  [`2 ${now} 3 4`, 1],
  ["2 NaN", 3],
  ["3 -1e999", 3],
  // The clock of another machine is ahead, or this one was set back.
  [`3 ${now + 1_000}`, 0],
  [`3 ${now + 2 * HOUR}`, 0],
];

for (const [value, passed] of stored) {
  Deno.test(`rateLimit() lets ${passed} requests pass after the stored value "${value}"`, async () => {
    const memory = createMemorySessionStore({ now: () => now });
    let isFirst = true;
    const store: SessionStore = {
      get(key): StoredValue | null | Promise<StoredValue | null> {
        if (isFirst) {
          isFirst = false;
          memory.put(key, value, { ttl: HOUR, ifVersion: null });
        }
        return memory.get(key);
      },
      put: (key, value, options) => memory.put(key, value, options),
      delete: (key) => memory.delete(key),
    };
    const { router } = createLimited({ store });
    const found = await statuses(router, 4);
    assertEquals(found.filter((status) => status === 200).length, passed);
  });
}

Deno.test("rateLimit() keeps a value in the store only as long as it counts", async () => {
  const memory = createMemorySessionStore();
  const ttls: number[] = [];
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put(key, value, options) {
      ttls.push(options.ttl);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const { router } = createLimited({ store, limit: 4, window: 1_000 });
  await statuses(router, 5);
  assertEquals(ttls, [250, 500, 750, 1_000]);
});

/** Creates a store in which each machine ends lifetimes by its own clock. */
function createRows(rows: Map<string, StoredValue & { readonly end: number }>) {
  let count = 0;
  return (now: () => number): SessionStore => ({
    get(key) {
      const found = rows.get(key);
      return Promise.resolve(found && found.end > now() ? found : null);
    },
    async put(key, value, { ifVersion, ttl }) {
      const found = await this.get(key);
      if (ifVersion !== undefined && ifVersion !== (found?.version ?? null)) {
        return false;
      }
      rows.set(key, { value, version: String(++count), end: now() + ttl });
      return true;
    },
    delete: (key) => void rows.delete(key),
  });
}

for (const difference of [1_500, 60_000, 1_800_000]) {
  for (const kind of ["the store's clock", "each machine's clock"]) {
    Deno.test(`rateLimit() limits on machines whose clocks differ by ${difference} ms, a window or more, in a store with ${kind}`, async () => {
      const time = 1_700_000_000_000;
      const shared = createMemorySessionStore({ now: () => time });
      const openRows = createRows(new Map());
      const machines = [0, difference, 0, difference].map((ahead) => {
        const now = () => time + ahead;
        const store = kind === "the store's clock" ? shared : openRows(now);
        const limit = rateLimit({ store, limit: 10, window: 1_000, now });
        const router = createRouter({ middleware: [limit] });
        router.get("/", () => new Response("Hello"));
        return router;
      });
      const found: number[] = [];
      for (let sent = 0; sent < 400; sent++) {
        found.push((await send(machines[sent % 4]!)).status);
      }
      // The difference itself is worth one window, once.
      const passed = found.filter((status) => status === 200).length;
      assert(passed >= 10 && passed <= 20, `${passed} passed`);
    });
  }
}

Deno.test("rateLimit() counts exactly on machines whose clocks differ", async () => {
  const time = 1_700_000_000_000;
  const store = createMemorySessionStore({ now: () => time });
  const createMachine = (ahead: number) => {
    const now = () => time + ahead;
    const limit = rateLimit({ store, limit: 10, window: 1_000, now });
    const router = createRouter({ middleware: [limit] });
    router.get("/", () => new Response("Hello"));
    return router;
  };
  const machines = [createMachine(0), createMachine(300)] as const;
  let passed = 0;
  for (let sent = 0; sent < 50; sent++) {
    const { status } = await machines[sent % 2]!.fetch("https://example.com/");
    if (status === 200) passed++;
  }
  // The difference itself is worth three requests, once.
  assert(passed >= 10 && passed <= 13, `${passed} passed`);
});
