import { createThrottle } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import {
  createClocked,
  hour,
  minute,
  start,
  strict,
  withCalls,
} from "../_clocked_throttle.ts";
import { slow } from "../_slow_store.ts";

Deno.test("createThrottle() allows five failures, then increases the delay (ASVS 6.3.1)", async () => {
  const { attempt, fail, pass } = createClocked();
  assertEquals(await fail(6), [true, true, true, true, true, 1]);
  const delays: (true | number)[] = [];
  for (let delay = 1; delay <= 900; delay = Math.min(delay * 2, 1000)) {
    pass(delay * 1000 - 1);
    assertEquals(await attempt(), 1, "not a millisecond early");
    pass(1);
    assertEquals(await attempt(), true);
    delays.push(await attempt());
  }
  assertEquals(delays, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
});

Deno.test("createThrottle() does not extend the delay for rejected attempts", async () => {
  const { attempt, fail, pass } = createClocked();
  await fail(5);
  assertEquals(await fail(50), Array(50).fill(1));
  pass(1000);
  assertEquals(await attempt(), true);
});

Deno.test("createThrottle() does not count rejected attempts for the address", async () => {
  const { attempt, fail } = createClocked();
  await fail(200);
  assertEquals(await attempt("bob"), true);
});

Deno.test("createThrottle() does not lock out a user because of a stranger's guesses (ASVS 6.3.1)", async () => {
  const { attempt, fail } = createClocked();
  await fail(100, "ada", "198.51.100.1");
  assertEquals(await attempt("ada", "203.0.113.7"), true);
});

Deno.test("createThrottle() delays an address that tries many accounts (ASVS 6.3.1)", async () => {
  const { attempt } = createClocked();
  const answers = [];
  for (let index = 0; index < 101; index++) {
    answers.push(await attempt(`user${index}`));
  }
  assertEquals(answers, [...Array(100).fill(true), 1]);
  assertEquals(await attempt("ada", "203.0.113.8"), true);
});

Deno.test("createThrottle() delays an address by at most a minute, because others share it", async () => {
  // Sixty failures in an hour, one each minute, never reach a hundred.
  const { attempt, pass } = createClocked({
    perAddress: { window: 24 * hour },
  });
  for (let index = 0; index < 200; index++) {
    await attempt(`user${index}`);
    pass(60_000);
  }
  assertEquals(await attempt("ada"), true);
  assertEquals(await attempt("bob"), 60);
});

Deno.test("createThrottle() forgets failures of a pair after a successful attempt", async () => {
  const { attempt, fail } = createClocked();
  await fail(4);
  assertEquals(await attempt("ada", "203.0.113.7", {}, true), true);
  assertEquals(await fail(6), [true, true, true, true, true, 1]);
});

Deno.test("createThrottle() does not let an attacker reset an address with another account", async () => {
  const { attempt } = createClocked();
  let allowed = 0;
  for (let index = 0; index < 150; index++) {
    if (await attempt(`victim${index}`) === true) allowed++;
    await attempt("mallory", "203.0.113.7", {}, true);
  }
  assertEquals(allowed, 100);
});

Deno.test("createThrottle() takes back only a cancelled attempt", async () => {
  const throttle = createThrottle();
  const context = new RequestContext(new Request("https://example.com/"), {
    remoteAddress: "203.0.113.7",
  });
  for (let time = 0; time < 4; time++) await throttle.attempt(context, "ada");
  for (let time = 0; time < 200; time++) {
    const attempt = await throttle.attempt(context, "ada");
    assert(attempt.allowed, "a cancelled attempt causes no delay");
    await attempt.cancel();
  }
  const { allowed } = await throttle.attempt(context, "ada");
  assert(allowed);
  const refused = await throttle.attempt(context, "ada");
  assertEquals(refused, { allowed: false, retryAfter: 1 });
});

Deno.test("createThrottle() takes back the latest of several failures", async () => {
  const { attempt, fail, pass } = createClocked({ perAddress: strict });
  await fail(2);
  pass(30 * minute);
  assertEquals(await attempt("bob", "203.0.113.7", {}, true), true);
  assertEquals(await fail(4, "bob"), [true, true, true, 1]);
});

Deno.test("createThrottle() does not count successful attempts", async () => {
  const { attempt } = createClocked();
  for (let index = 0; index < 300; index++) {
    const account = `user${index % 3}`;
    assertEquals(await attempt(account, "203.0.113.7", {}, true), true);
  }
});

Deno.test("createThrottle() never delays a user with occasional typos", async () => {
  const { attempt, pass } = createClocked();
  for (let time = 0; time < 20; time++) {
    pass(70 * minute);
    assertEquals(await attempt(), true);
    assertEquals(await attempt(), true);
  }
});

Deno.test("createThrottle() never delays an address for a few failures an hour", async () => {
  const { attempt, pass } = createClocked();
  for (let index = 0; index < 200; index++) {
    pass(30 * minute);
    assertEquals(await attempt(`user${index}`), true);
    assertEquals(await attempt("ada", "203.0.113.7", {}, true), true);
  }
});

Deno.test("createThrottle() removes old counts from the store every ten minutes", async () => {
  const times: number[] = [];
  const store = withCalls({ sweep: (time) => void times.push(time) });
  const { attempt, pass } = createClocked({ store });
  for (let passed = 0; passed <= 25; passed++) {
    await attempt();
    pass(minute);
  }
  // The first time is random, so that not all processes sweep at once.
  const [first = 0, second = 0] = times;
  assert(first >= start && first <= start + 10 * minute, `${first - start}`);
  assertEquals(second, first + 10 * minute);
});

Deno.test("createThrottle() lets one address guess at one account 17 times within an hour", async () => {
  const { attempt, pass } = createClocked({ perAccount: { attempts: 10_000 } });
  const guesses: number[] = [];
  for (let time = 0; time < 48 * hour;) {
    const answer = await attempt();
    if (answer === true) {
      guesses.push(time);
      continue;
    }
    time += answer * 1000;
    pass(answer * 1000);
  }
  const most = Math.max(
    ...guesses.map((from) =>
      guesses.filter((time) => time >= from && time < from + hour).length
    ),
  );
  // Five attempts, ten with delays from 1 s to 512 s, and two with 900 s.
  assertEquals(most, 17);
});

Deno.test("createThrottle() does not extend a delay if the clock is set back", async () => {
  const { attempt, fail, pass } = createClocked();
  await fail(5);
  pass(-20 * minute);
  assertEquals(await attempt(), 900, "never longer than the maximum delay");
  pass(-24 * hour);
  assertEquals(await fail(6), [true, true, true, true, true, 1]);
});

Deno.test("createThrottle() keeps a delay on a machine whose clock is behind", async () => {
  const limits = {
    store: createMemorySessionStore({ now: () => start }),
    perAccountAndAddress: { attempts: 5, delay: hour, maxDelay: hour },
  };
  const [ahead, behind] = [createClocked(limits), createClocked(limits)];
  behind.pass(-1000);
  await ahead.fail(5);
  assertEquals(await behind.attempt(), 3600);
});

Deno.test("createThrottle() limits guesses on machines whose clocks differ by half an hour", async () => {
  const limit = {
    attempts: 5,
    delay: minute,
    maxDelay: minute,
    window: 10 * minute,
  };
  const limits = {
    store: createMemorySessionStore({ now: () => start }),
    perAccountAndAddress: limit,
  };
  const [ahead, behind] = [createClocked(limits), createClocked(limits)];
  ahead.pass(hour / 2);
  const answers = [];
  for (let guess = 0; guess < 50; guess++) {
    answers.push(await behind.attempt(), await ahead.attempt());
  }
  const allowed = answers.filter((answer) => answer === true).length;
  // One more, because the machine ahead does not see the delay of the other.
  assert(allowed <= 6, `${allowed}`);
});

Deno.test("createThrottle() counts concurrent attempts", async () => {
  const { attempt, pass } = createClocked();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => attempt()),
  );
  // Two attempts can refuse each other, each at another count, so fewer may pass.
  const allowed = answers.filter((answer) => answer === true).length;
  assert(allowed > 0 && allowed <= 5, `${allowed}`);
  pass(hour);
  assertEquals(await attempt(), true);
});

Deno.test("createThrottle() counts concurrent attempts on several machines", async () => {
  const store = slow(createMemorySessionStore());
  const machines = [createClocked({ store }), createClocked({ store })];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => machines[index % 2].attempt()),
  );
  const allowed = answers.filter((answer) => answer === true).length;
  assert(allowed <= 5, `${allowed}`);
});

Deno.test("createThrottle() counts in a store on the network", async () => {
  const store = slow(createMemorySessionStore({ now: () => start }));
  const { attempt, fail } = createClocked({ store });
  await fail(4);
  assertEquals(await attempt("ada", "203.0.113.7", {}, true), true);
  assertEquals(await fail(6), [true, true, true, true, true, 1]);
});

Deno.test("createThrottle() can take back an attempt that it has already forgotten", async () => {
  const { attempt, pass } = createClocked();
  const slowly = () => attempt("ada", "203.0.113.7", {}, () => pass(hour));
  assertEquals([await slowly(), await slowly()], [true, true]);
});
