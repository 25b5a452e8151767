import { assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { poll, start, startDevices } from "./_devices.ts";

Deno.test("a device that asks too often must wait longer, without a store call", async () => {
  let reads = 0;
  const inner = createMemorySessionStore();
  const store: SessionStore = {
    ...inner,
    put: inner.put.bind(inner),
    delete: inner.delete.bind(inner),
    byIndex: inner.byIndex!.bind(inner),
    get: (key) => {
      reads++;
      return inner.get(key);
    },
  };
  const server = startDevices({ store });
  const codes = await start(server);
  const { clock } = server;
  assertEquals((await poll(server, codes)).error, "authorization_pending");
  reads = 0;
  for (let count = 0; count < 1_000; count++) {
    assertEquals((await poll(server, codes)).error, "slow_down");
  }
  assertEquals(reads, 0);
  // The interval stays at most a minute, so the owner gets out.
  clock.now += 60_000;
  assertEquals((await poll(server, codes)).error, "authorization_pending");
  clock.now += 5_000;
  assertEquals((await poll(server, codes)).error, "slow_down");
});
