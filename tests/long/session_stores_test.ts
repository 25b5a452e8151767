import { assertEquals, assertGreater, assertLess } from "@std/assert";
import connect from "npm:postgres@3.4.7";
import { createClient } from "npm:redis@5.12.1";
import type { SessionStore } from "@gatehouse/web/session";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { testSessionStore } from "@gatehouse/web/testing";
import {
  findProgram,
  type Server,
  startPostgres,
  startRedis,
} from "../deno/_servers.ts";
import { type OpenStore, openStore } from "../deno/_session_stores.ts";
import { until } from "../_wait.ts";

const redis = findProgram("redis-server", "session stores on Redis");
const postgres = findProgram("postgres", "session stores on PostgreSQL");

const servers: Record<string, Promise<Server>> = {};
const stores: Record<string, Promise<OpenStore>> = {};

Deno.test.afterAll(async () => {
  for (const store of Object.values(stores)) await (await store).close();
  for (const server of Object.values(servers)) await (await server).stop();
});

const kinds: [kind: string, what: string, program: string | null][] = [
  ["sqlite", "createSQLSessionStore() on node:sqlite", ""],
  ["postgres", "createSQLSessionStore() on PostgreSQL", postgres],
  ["redis", "createRedisSessionStore() with npm:redis", redis],
  [
    "valkey",
    "createRedisSessionStore() with npm:iovalkey and keyPrefix",
    redis,
  ],
];

for (const [kind, what, program] of kinds) testOn(what, kind, program);

testServed(
  "createSQLSessionStore() creates its table once for concurrent first calls",
  postgres,
  async () => {
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
);

testServed(
  "createSQLSessionStore() does not wait for a VACUUM of PostgreSQL when it starts",
  postgres,
  async () => {
    const { port } = await (servers.postgres ??= startPostgres(postgres!));
    const options = { ttl: 60_000, ifVersion: null };
    const first = await openStore("postgres", port, "vacuumed");
    await first.store.put("one", "value", options);
    const vacuum = connect({
      port,
      host: "127.0.0.1",
      user: "test",
      db: "postgres",
      max: 1,
    });
    const second = await openStore("postgres", port, "vacuumed");
    try {
      await vacuum.unsafe("BEGIN");
      // The lock of VACUUM, and of CREATE INDEX CONCURRENTLY.
      await vacuum.unsafe(
        "LOCK TABLE vacuumed IN SHARE UPDATE EXCLUSIVE MODE",
      );
      // A call that waited for the lock would wait for the end of this block.
      const results = await Promise.all([
        second.store.put("two", "value", options),
        first.store.put("three", "value", options),
      ]);
      assertEquals(results, [true, true]);
    } finally {
      await vacuum.unsafe("ROLLBACK");
      await vacuum.end();
      await first.close();
      await second.close();
    }
  },
);

testServed(
  "createSQLSessionStore() does not sweep rows that another connection is replacing in PostgreSQL",
  postgres,
  async () => {
    const { port } = await (servers.postgres ??= startPostgres(postgres!));
    const sql = connect({
      port,
      host: "127.0.0.1",
      user: "test",
      db: "postgres",
      onnotice() {},
    });
    const open = ({ unsafe }: Pick<typeof sql, "unsafe">, now?: () => number) =>
      createSQLSessionStore((text, params) => unsafe(text, params), {
        dialect: "postgres",
        table: "swept",
        // Otherwise the sweep would wait for the table instead of the row.
        createTable: now !== undefined,
        now,
      });
    const store = open(sql);
    const options = { ttl: 60_000, ifVersion: null };
    try {
      await open(sql, () => 0).put("key", "old", options);
      await sql.begin(async (transaction) => {
        assertEquals(await open(transaction).put("key", "new", options), true);
        // It does not wait for concurrent writes. It skips their rows.
        await store.sweep!(Date.now());
      });
      assertEquals((await store.get("key"))?.value, "new");
    } finally {
      await sql.end();
    }
  },
);

testServed(
  "createRedisSessionStore() expires an index with its last session",
  redis,
  () =>
    withRedis(async (client) => {
      const store = createRedisSessionStore(
        (command, args) => client.sendCommand([command, ...args]),
        { prefix: "bounded:" },
      );
      const put = (key: string, ttl: number) =>
        store.put(key, "value", { ttl, ifVersion: null, index: ["user:1"] });
      const set = "bounded:index:user%3A1";
      for (let n = 0; n < 20; n++) await put(`brief${n}`, 100);
      await put("long", 60_000);
      await put("short", 10_000);
      // It expires with the last session.
      assertGreater(await client.pTTL(set), 50_000);
      assertLess(await client.pTTL(set), 60_001);
      await until(async () => await store.get("brief19") === null);
      // Expired sessions are not listed. They are removed with the next login.
      await put("next", 10_000);
      assertEquals(await client.zCard(set), 3);

      for (const key of ["long", "short", "next"]) await store.delete(key);
      assertEquals(await client.keys("bounded:*"), []);
    }),
);

testServed(
  "createRedisSessionStore() passes the kit if the client retries a command after a lost reply",
  redis,
  () =>
    withRedis(async (client) => {
      const store = createRedisSessionStore(async (command, args) => {
        await client.sendCommand([command, ...args]);
        return await client.sendCommand([command, ...args]);
      }, { prefix: "again:" });
      for (const { run } of testSessionStore(() => store)) await run();
    }),
);

/** Registers the kit's tests for a store. The first test opens it. */
function testOn(what: string, kind: string, program: string | null): void {
  const createStore = async () => (await opened(kind)).store;
  const tests = testSessionStore(createStore);
  tests.push({
    name: "put() accepts a fractional lifetime and rejects an empty version",
    run: () => checkEdges(createStore),
  });
  for (const { name, run } of tests) {
    testServed(`${what}: ${name}`, program, run);
  }
}

/** Registers a test that is skipped if its program is missing. */
function testServed(
  name: string,
  program: string | null,
  fn: () => void | Promise<void>,
): void {
  Deno.test({
    name,
    ignore: program === null,
    // Clients keep their sockets and timers until all tests are done.
    sanitizeOps: false,
    sanitizeResources: false,
    fn,
  });
}

/** Connects to Redis for a while. */
async function withRedis(
  use: (client: ReturnType<typeof createClient>) => Promise<void>,
): Promise<void> {
  const { port } = await (servers.redis ??= startRedis(redis!));
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  try {
    await use(client);
  } finally {
    client.destroy();
  }
}

async function checkEdges(
  createStore: () => Promise<SessionStore>,
): Promise<void> {
  const store = await createStore();
  const key = crypto.randomUUID();
  const options = { ttl: 60_000.5, ifVersion: null };
  const refused = { ...options, ifVersion: "" };
  assertEquals(await store.put(key, "value", refused), false);
  assertEquals(await store.put(key, "value", options), true);
  assertEquals((await store.get(key))?.value, "value");
  assertEquals(await store.put(key, "value", refused), false);
}

/** Opens a store, once. */
function opened(kind: string): Promise<OpenStore> {
  return stores[kind] ??= (async () => {
    if (kind === "sqlite") return await openStore(kind, ":memory:");
    const server = kind === "postgres"
      ? servers.postgres ??= startPostgres(postgres!)
      : servers.redis ??= startRedis(redis!);
    return await openStore(kind, (await server).port);
  })();
}
