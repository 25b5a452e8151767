/**
 * The contract of session stores on the cheapest real store of each kind. The
 * checks that need many sessions run in `tests/long`, with all clients.
 */
import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
import { testSessionStore } from "@gatehouse/web/testing";
import { findProgram, startRedis } from "./_servers.ts";
import { type OpenStore, openStore } from "./_session_stores.ts";

const redis = findProgram("redis-server", "the contract of stores on Redis");

async function openKV(): Promise<OpenStore> {
  const kv = await Deno.openKv(":memory:");
  return { store: createDenoKVSessionStore(kv), close: () => kv.close() };
}

async function openServed(): Promise<OpenStore> {
  const server = await startRedis(redis!);
  const { close, store } = await openStore("redis", server.port);
  return {
    store,
    async close() {
      await close();
      await server.stop();
    },
  };
}

const stores: [
  name: string,
  open: () => Promise<OpenStore>,
  ignore?: boolean,
][] = [
  [
    "createSQLSessionStore() on SQLite",
    () => openStore("sqlite", ":memory:"),
  ],
  ["createDenoKVSessionStore() in memory", openKV],
  ["createRedisSessionStore() on Redis", openServed, redis === null],
];

for (const [name, open, ignore = false] of stores) {
  Deno.test({
    name: `${name} passes the kit`,
    ignore,
    // The client of Redis keeps its socket for a moment.
    sanitizeOps: open !== openServed,
    sanitizeResources: open !== openServed,
    async fn(context) {
      const { close, store } = await open();
      try {
        // Most checks wait for a short lifetime.
        await Promise.all(
          testSessionStore(() => store)
            .filter(({ name }) => !name.startsWith("session:"))
            .map(({ name, run: fn }) =>
              context.step({
                name,
                fn,
                sanitizeOps: false,
                sanitizeResources: false,
                sanitizeExit: false,
              })
            ),
        );
      } finally {
        await close();
      }
    },
  });
}
