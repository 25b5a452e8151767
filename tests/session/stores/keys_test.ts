import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { createDurableObjectSessionStore } from "@gatehouse/web/session/cloudflare";
import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { assertRejects, fail } from "@std/assert";

const stores: Record<string, SessionStore> = {
  createMemorySessionStore: createMemorySessionStore(),
  createRedisSessionStore: createRedisSessionStore(() => 1),
  createSQLSessionStore: createSQLSessionStore(() => [{ id: "key" }]),
  createDenoKVSessionStore: createDenoKVSessionStore({
    get: (key) => Promise.resolve({ key, value: null, versionstamp: null }),
    atomic: () => fail("put() wrote to the store"),
    async *list() {},
  }),
  createDurableObjectSessionStore: createDurableObjectSessionStore({
    idFromName: (name) => name,
    get: () => fail("put() wrote to the store"),
  }),
};

for (const [name, store] of Object.entries(stores)) {
  Deno.test(`${name}() rejects more than four index names`, async () => {
    const index = ["a", "b", "c", "d", "e"];
    await assertRejects(
      async () =>
        await store.put("key", "value", { ttl: 1, ifVersion: null, index }),
      RangeError,
      "at most 4",
    );
  });
}
