import { assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { PollPace } from "../../../oauth_server/device/poll_pace.ts";
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

Deno.test("PollPace.isTooFast() adds five seconds for each early request, up to a minute, and tolerates one", () => {
  let now = 0;
  const pace = new PollPace(() => now);
  assertEquals(pace.isTooFast("a"), false);
  for (let interval = 5; interval < 60; interval += 5) {
    // One second early is in time, and a millisecond more is not.
    now += (interval - 1) * 1_000 - 1;
    assertEquals(pace.isTooFast("a"), true, String(interval));
  }
  now += 59_000 - 1;
  assertEquals(pace.isTooFast("a"), true);
  now += 59_000;
  assertEquals(pace.isTooFast("a"), false);
  // The interval stays, and another device has a separate one.
  now += 59_000 - 1;
  assertEquals(pace.isTooFast("b"), false);
  assertEquals(pace.isTooFast("a"), true);
  now += 4_000;
  assertEquals(pace.isTooFast("b"), false);
});

Deno.test("PollPace.isTooFast() forgets the device that asked longest ago, of more than 10,000", () => {
  const pace = new PollPace(() => 0);
  for (let n = 0; n < 10_000; n++) pace.isTooFast(`device${n}`);
  // The first device asks again, so the second one has waited longest.
  assertEquals(pace.isTooFast("device0"), true);
  assertEquals(pace.isTooFast("new"), false);
  assertEquals(pace.isTooFast("device0"), true);
  assertEquals(pace.isTooFast("device2"), true);
  assertEquals(pace.isTooFast("device1"), false);
});
