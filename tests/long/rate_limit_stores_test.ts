/** 1,000 parallel requests against a limit of 100, on real stores. */
import { assert, assertEquals } from "@std/assert";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/fetch-router/testing";
import { rateLimit } from "@gatehouse/web/rate-limit-middleware";
import type { SessionStore } from "@gatehouse/web/session";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { type OpenStore, openStore } from "../deno/_session_stores.ts";

const ROOT = new URL("../../", import.meta.url);
const HOUR = 3_600_000;
const MACHINES = 4;

const redis = findProgram("redis-server", "rate limits on Redis");
const postgres = findProgram("postgres", "rate limits on PostgreSQL");

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

const kinds: [kind: string, program: string | null][] = [
  ["sqlite", ""],
  ["postgres", postgres],
  ["redis", redis],
  ["valkey", redis],
];

for (const [kind, program] of kinds) {
  Deno.test({
    name:
      `rateLimit() lets exactly 100 of 1,000 parallel requests pass on ${kind}, from one machine and from ${MACHINES}`,
    ignore: program === null,
    // Clients keep their sockets for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const folder = await Deno.makeTempDir();
      const server = program === ""
        ? { port: 0, stop: () => Promise.resolve() }
        : await (kind === "postgres" ? startPostgres : startRedis)(program!);
      const opened: OpenStore[] = [];
      try {
        for (const count of [1, MACHINES]) {
          const stores: SessionStore[] = [];
          for (let index = 0; index < count; index++) {
            const address = program === ""
              ? `${folder}/${count}.db`
              : server.port;
            const open = await openStore(kind, address);
            opened.push(open);
            stores.push(open.store);
          }
          if (count > 1) await forget(stores[0]);
          await assertExactly100(stores);
        }
      } finally {
        for (const { close } of opened) await close();
        await server.stop();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

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

const stores = [
  [
    "D1",
    `createSQLSessionStore(async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results)`,
  ],
  ["a Durable Object", "createDurableObjectSessionStore(env.SESSIONS)"],
];

for (const [name, store] of stores) {
  Deno.test(`rateLimit() lets exactly 100 of 1,000 parallel requests pass on ${name}`, async () => {
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

async function startLimited(store: string) {
  const script = await bundle(`
    import { createRouter } from "${ROOT.href}router/mod.ts";
    import { rateLimit } from "${ROOT.href}session/rate_limit.ts";
    import { createDurableObjectSessionStore } from "${ROOT.href}session/stores/cloudflare.ts";
    import { createSQLSessionStore } from "${ROOT.href}session/stores/sql.ts";
    export { SessionObject } from "${ROOT.href}session/stores/cloudflare.ts";
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
  return await startWorker({
    script,
    d1Databases: ["DB"],
    durableObjects: {
      SESSIONS: { className: "SessionObject", useSQLite: true },
    },
  });
}
