import { createMemorySessionStore } from "@gatehouse/web/session";
import { assertEquals, assertLess } from "@std/assert";
import {
  createClocked,
  hour,
  minute,
  start,
  withCalls,
} from "../_clocked_throttle.ts";

Deno.test("createThrottle() forgets a failure after an hour", async () => {
  const { fail, pass } = createClocked({
    perAccountAndAddress: { maxDelay: 1000 },
  });
  await fail(5);
  pass(3_601_001);
  assertEquals(await fail(5), Array(5).fill(true));
});

Deno.test("createThrottle() forgets a failure after an hour with any maximum delay", async () => {
  const { fail, pass } = createClocked();
  await fail(5);
  pass(hour);
  assertEquals(await fail(6), [true, true, true, true, true, 1]);
});

Deno.test("createThrottle() keeps a failure when an older one expires", async () => {
  const { fail, pass } = createClocked();
  await fail(1);
  pass(59 * minute);
  await fail(3);
  pass(2 * minute);
  assertEquals(await fail(3), [true, true, 1]);
  pass(57 * minute);
  assertEquals(await fail(4), [true, 2, 2, 2], "the three still count");
});

Deno.test("createThrottle() forgets a failure after 66 minutes even if others follow", async () => {
  const { fail, pass } = createClocked();
  await fail(1);
  pass(30 * minute);
  await fail(3);
  pass(36 * minute);
  assertEquals(await fail(3), [true, true, 1]);
});

Deno.test("createThrottle() stores as much for many failures as for few", async () => {
  let longest = 0;
  const memory = createMemorySessionStore({ now: () => start });
  const store = withCalls({
    get: (key) => memory.get(key),
    put(key, value, options) {
      longest = Math.max(longest, value.length);
      return memory.put(key, value, options);
    },
  });
  const many = { attempts: 1_000, delay: 1_000, maxDelay: 1_000 };
  const { attempt, pass } = createClocked({
    store,
    perAccount: many,
    perAccountAndAddress: many,
    perAddress: many,
  });
  for (let time = 0; time < 500; time++) {
    assertEquals(await attempt(), true);
    pass(7_000);
  }
  assertLess(longest, 250);
});

Deno.test("createThrottle() supports a delay longer than the time that failures count", async () => {
  const { attempt, fail, pass } = createClocked({
    perAccountAndAddress: { window: minute, delay: hour, maxDelay: hour },
  });
  await fail(5);
  pass(59 * minute);
  assertEquals(await attempt(), 60);
  pass(minute);
  assertEquals(await attempt(), true);
});
