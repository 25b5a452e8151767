/** 1,000 parallel requests against a limit of 100, on real stores. */
import { assert, assertEquals } from "@std/assert";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import type { SessionStore } from "@gatehouse/web/session";
import { rateLimit } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import {
  startStoreWorker,
  testOnSharedStores,
  WORKER_STORES,
} from "../deno/_shared_stores.ts";

const HOUR = 3_600_000;
const MACHINES = 4;

function createLimited(store: SessionStore): Router {
  const limit = rateLimit({ store, limit: 100, window: HOUR });
  const router = createRouter({ middleware: [limit] });
  router.get("/", () => new Response("reached"));
  return router;
}

/** Sends 1,000 parallel requests, spread over the machines. */
async function assertExactly100(stores: readonly SessionStore[]) {
  const clients = stores.map((store) =>
    createTestClient(createLimited(store), { remoteAddress: "192.0.2.1" })
  );
  const responses = await Promise.all(
    Array.from(
      { length: 1_000 },
      (_, index) => clients[index % clients.length].fetch("/"),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  assertEquals(statuses.filter((status) => status === 200).length, 100);
  assertEquals(statuses.filter((status) => status === 429).length, 900);
}

const NAME = "rateLimit() lets exactly 100 of 1,000 parallel requests pass";

testOnSharedStores(
  "rate limits",
  (kind) => `${NAME} on ${kind}, from one machine and from ${MACHINES}`,
  async (connect) => {
    for (const count of [1, MACHINES]) {
      const stores: SessionStore[] = [];
      for (let index = 0; index < count; index++) {
        stores.push(await connect(`from_${count}`));
      }
      if (count > 1) await forget(stores[0]);
      await assertExactly100(stores);
    }
  },
);

/** Removes the count of the run before. */
async function forget(store: SessionStore): Promise<void> {
  const keys: string[] = [];
  const recording: SessionStore = {
    get(key) {
      keys.push(key);
      return null;
    },
    put: () => true,
    delete: () => {},
  };
  const client = createTestClient(createLimited(recording), {
    remoteAddress: "192.0.2.1",
  });
  await client.fetch("/");
  await store.delete(keys[0]);
}

for (const [name, store] of WORKER_STORES) {
  Deno.test(`${NAME} on ${name}`, async () => {
    await using worker = await startLimited(store);
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, () => send(worker.url)),
    );
    assertEquals(responses.filter((status) => status === 200).length, 100);
    assertEquals(responses.filter((status) => status === 429).length, 900);
  });

  Deno.test(`rateLimit() on ${name} is not blocked by clients that disconnect`, async () => {
    await using worker = await startLimited(store);
    await send(worker.url);
    const aborted = Array.from({ length: 5 }, async (_, index) => {
      const signal = AbortSignal.timeout(index);
      return await send(worker.url, signal).catch(() => 0);
    });
    const others = Array.from({ length: 20 }, () => send(worker.url));
    const statuses = await Promise.all([...others, ...aborted]);
    assert(statuses.slice(0, 20).every((status) => status === 200));
    assertEquals(await send(worker.url), 200);
  });
}

async function send(url: URL, signal?: AbortSignal): Promise<number> {
  const response = await fetch(url, { signal });
  await response.text();
  return response.status;
}

function startLimited(store: string) {
  return startStoreWorker(`
    import { createRouter } from "@gatehouse/web/fetch-router";
    import { rateLimit } from "@gatehouse/web/session-middleware";
    let router;
    function createLimited(env) {
      const store = ${store};
      const limit = rateLimit({ store, limit: 100, window: ${HOUR} });
      const router = createRouter({ middleware: [limit] });
      router.get("/", () => new Response("reached"));
      return router;
    }
    export default {
      fetch(request, env, context) {
        router ??= createLimited(env);
        return router.fetch(request, env, context);
      },
    };`);
}
