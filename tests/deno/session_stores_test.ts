import { assertEquals } from "@std/assert";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { testSessionStore } from "@gatehouse/web/session/testing";
import {
  findProgram,
  type Server,
  startPostgres,
  startRedis,
} from "./_servers.ts";
import { type OpenStore, openStore } from "./_session_stores.ts";

const redis = findProgram("redis-server", "session stores on Redis");
const postgres = findProgram("postgres", "session stores on PostgreSQL");

const servers: Record<string, Promise<Server>> = {};
const stores: Record<string, Promise<OpenStore>> = {};

Deno.test.afterAll(async () => {
  for (const store of Object.values(stores)) await (await store).close();
  for (const server of Object.values(servers)) await (await server).stop();
});

testOn(
  "createSQLSessionStore() on node:sqlite",
  () => stores.sqlite ??= openStore("sqlite", ":memory:"),
);

testOn("createSQLSessionStore() on PostgreSQL", async () => {
  const { port } = await (servers.postgres ??= startPostgres(postgres!));
  return await (stores.postgres ??= openStore("postgres", port));
}, postgres);

for (const client of ["redis", "valkey"]) {
  const name = client === "redis" ? "npm:redis" : "npm:iovalkey";
  testOn(`createRedisSessionStore() with ${name}`, async () => {
    const { port } = await (servers.redis ??= startRedis(redis!));
    return await (stores[client] ??= openStore(client, port));
  }, redis);
}

Deno.test("createSQLSessionStore() sweeps out all that has expired, however much a flood has left", async () => {
  const { DatabaseSync } = await import("node:sqlite");
  using db = new DatabaseSync(":memory:");
  let now = Date.now();
  const store = createSQLSessionStore(
    (sql, params) => db.prepare(sql).all(...params),
    { now: () => now },
  );
  const put = (key: string, ttl: number) =>
    store.put(key, "value", { ttl, ifVersion: null });
  for (let n = 0; n < 2_500; n++) await put(`anonymous${n}`, 600_000);
  await put("login", 1_800_000);
  now += 600_001;
  await store.sweep!(now);
  const rows = db.prepare("SELECT id FROM gatehouse_sessions").all();
  assertEquals(rows.map(({ id }) => id), ["login"]);
});

Deno.test({
  name:
    "createSQLSessionStore() creates its table once, however many begin at once",
  ignore: postgres === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const { port } = await (servers.postgres ??= startPostgres(postgres!));
    for (let round = 0; round < 5; round++) {
      const table = `sessions_${round}`;
      const opened = await Promise.all(
        Array.from({ length: 8 }, () => openStore("postgres", port, table)),
      );
      const created = await Promise.all(
        opened.map(({ store }) =>
          store.put("key", "value", { ttl: 60_000, ifVersion: null })
        ),
      );
      assertEquals(created.filter(Boolean).length, 1);
      for (const { close } of opened) await close();
    }
  },
});

/** Registers the kit's tests for a store that is opened by the first of them. */
function testOn(
  what: string,
  open: () => Promise<OpenStore>,
  program: string | null = "",
): void {
  const createStore = async () => (await open()).store;
  for (const { name, run } of testSessionStore(createStore)) {
    Deno.test({
      name: `${what}: ${name}`,
      ignore: program === null,
      // Clients keep their sockets and timers until all tests are done.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: run,
    });
  }
}
