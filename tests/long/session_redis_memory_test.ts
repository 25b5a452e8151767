import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { createClient } from "npm:redis@5.12.1";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { Browser, Server } from "../session/_browser.ts";
import { findProgram, startRedis } from "../deno/_servers.ts";

const redis = findProgram("redis-server", "Redis without memory");

/** The free memory of Redis before the flood, in bytes. */
const ROOM = 2_000_000;

Deno.test({
  name:
    "createRedisSessionStore() writes nothing past maxmemory, and still logs out",
  ignore: redis === null,
  fn: async () => {
    const server = await startRedis(redis!);
    const client = createClient({ url: `redis://127.0.0.1:${server.port}` });
    await client.connect();
    try {
      const store = createRedisSessionStore((command, args) =>
        client.sendCommand([command, ...args])
      );
      const browser = new Browser(new Server({ store }));
      await browser.visit((session) => session.set("userId", 7));
      const stolen = browser.copy();

      const used = await usedMemory(client);
      await client.configSet("maxmemory-policy", "noeviction");
      await client.configSet("maxmemory", String(used + ROOM));
      const value = "x".repeat(5_000);
      // With an index name, whose set must not grow before the value is rejected.
      const options = { ttl: 60_000, ifVersion: null, index: ["user:8"] };
      const flood = async () => {
        for (let n = 0; n < 2_000; n++) {
          await store.put(`flood${n}`, value, options);
        }
      };
      await assertRejects(flood, Error, "OOM");
      assertLess(await usedMemory(client), used + ROOM + 100_000);
      const keys = await store.byIndex!("user:8");
      for (const key of keys) assert(await store.get(key) !== null);

      await browser.visit((session) => session.destroy());
      assertEquals(browser.response.status, 200);
      assertEquals(await stolen.visit((session) => session.userId), undefined);
      assertEquals(await store.byIndex!("user:7"), []);

      for (const key of keys) await store.delete(key);
      assertEquals(await store.put("next", value, options), true);
    } finally {
      client.destroy();
      await server.stop();
    }
  },
});

async function usedMemory(
  client: { info(section: string): Promise<string> },
): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info("memory"))![1]);
}
