import {
  assert,
  assertEquals,
  assertLess,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { createThrottle, type ThrottleOptions } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";

const start = 1_700_000_000_000;
const minute = 60_000;
const hour = 60 * minute;

/** Limits with the same number for an address as for an account. */
const strict = { attempts: 5, maxDelay: 900_000 };

/** Creates a throttle with a separate clock. */
function createClocked(options: ThrottleOptions = {}) {
  let time = start;
  const now = () => time;
  const store = createMemorySessionStore({ now });
  const throttle = createThrottle({ store, now, ...options });

  /** Returns the result of an attempt: `true`, or the seconds to wait. */
  async function attempt(
    account = "ada",
    address: string | undefined = "203.0.113.7",
    headers: Record<string, string> = {},
    right: boolean | (() => void) = false,
  ): Promise<true | number> {
    const request = new Request("https://example.com/login", { headers });
    const context = new RequestContext(request, { remoteAddress: address });
    const result = await throttle.attempt(context, account);
    if (!result.allowed) return result.retryAfter;
    if (typeof right === "function") right();
    if (right) await result.succeed();
    return true;
  }

  return {
    store,
    attempt,
    pass(ms: number): void {
      time += ms;
    },
    async fail(count: number, account?: string, address?: string) {
      const answers = [];
      for (let index = 0; index < count; index++) {
        answers.push(await attempt(account, address));
      }
      return answers;
    },
  };
}

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

Deno.test("createThrottle() removes old counts from the store every ten minutes", async () => {
  const times: number[] = [];
  const store = withCalls({ sweep: (time) => void times.push(time) });
  const { attempt, pass } = createClocked({ store });
  for (let passed = 0; passed <= 25; passed++) {
    await attempt();
    pass(minute);
  }
  assertEquals(times, [start + 10 * minute, start + 20 * minute]);
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

Deno.test("createThrottle() counts concurrent attempts", async () => {
  const { attempt } = createClocked();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => attempt()),
  );
  assertEquals(answers.filter((answer) => answer === true).length, 5);
});

/** Creates a slow store whose calls finish in any order. */
function slow(store: SessionStore): SessionStore {
  const wait = () =>
    new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  return {
    async get(key) {
      await wait();
      return store.get(key);
    },
    async put(key, value, options) {
      await wait();
      return store.put(key, value, options);
    },
    async delete(key) {
      await wait();
      return store.delete(key);
    },
  };
}

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

const spellings = ["ADA", " ada ", "\uff41da", "Ada"];
for (const spelling of spellings) {
  Deno.test(`createThrottle() treats "${spelling}" as the account "ada"`, async () => {
    const { attempt, fail } = createClocked();
    await fail(5, "ada");
    assertEquals(await attempt(spelling), 1);
  });
}

Deno.test("createThrottle() ignores leading spaces of an account", async () => {
  const { attempt } = createClocked();
  let allowed = 0;
  for (let spaces = 0; spaces < 2000; spaces += 20) {
    const spelling = `${" ".repeat(spaces)}ada@example.com`;
    if (await attempt(spelling) === true) allowed++;
  }
  assertEquals(allowed, 5);
});

Deno.test("createThrottle() does not normalize long accounts", async () => {
  const { attempt } = createClocked();
  const marks = "\u0315".repeat(20_000) + "\u0316".repeat(20_000);
  const start = performance.now();
  assertEquals(await attempt(`a${marks}`), true);
  assertLess(performance.now() - start, 1000);
});

const neighbours: [one: string, other: string, same: boolean][] = [
  ["2001:db8::1", "2001:db8::2", true],
  ["2001:db8:0:0:1::1", "2001:db8::ffff:0:0:1", true],
  ["2001:DB8::1", "2001:db8:0:0::1", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["fe80::1%eth0", "fe80::1%eth1", true],
  ["::ffff:203.0.113.7", "203.0.113.7", true],
  ["::ffff:203.0.113.7", "::ffff:203.0.113.8", false],
  ["203.0.113.7", "203.0.113.8", false],
  ["::1", "::1", true],
  ["unix", "unix", true],
  [":::broken", ":::broken", true],
];

for (const [one, other, same] of neighbours) {
  Deno.test(`createThrottle() treats ${one} and ${other} as ${same ? "one client" : "two clients"}`, async () => {
    const { attempt, fail } = createClocked();
    await fail(5, "ada", one);
    assertEquals(await attempt("ada", other), same ? 1 : true);
  });
}

/** Runs a function with the recorded arguments of `console.warn`. */
async function withWarnings(
  run: (warnings: string[]) => Promise<void>,
): Promise<void> {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (warning) => warnings.push(String(warning));
  try {
    await run(warnings);
  } finally {
    console.warn = warn;
  }
}

const forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP"];

Deno.test("createThrottle() limits guesses without an address", async () => {
  await withWarnings(async (warnings) => {
    // By default it uses the address of the context.
    const { attempt, fail } = createClocked({ address: () => undefined });
    assertEquals(await fail(40), Array(40).fill(true));
    assertEquals(await fail(50), Array(50).fill(1));
    assertEquals(await attempt("bob"), true, "accounts count alone");
    assertEquals(warnings, [
      'Cannot throttle "login" by address: the client\'s address is not known',
    ]);
  });
});

for (const peer of ["127.0.0.1", "10.0.0.5", "::1", "fd00::1", "172.20.0.3"]) {
  Deno.test(`createThrottle() warns once of an undeclared proxy at ${peer}`, async () => {
    await withWarnings(async (warnings) => {
      const { attempt } = createClocked();
      for (let index = 0; index < 150; index++) {
        const headers = { "X-Forwarded-For": `203.0.113.${index}` };
        const answer = await attempt(`user${index}`, peer, headers);
        assertEquals(answer, true, "all clients share the proxy's address");
      }
      assertEquals(warnings.length, 1);
      assert(warnings[0].includes("trustedProxies is not set"));
    });
  });

  for (const header of forwarding) {
    Deno.test(`createThrottle() limits guesses with a changing ${header} from ${peer}`, async () => {
      await withWarnings(async () => {
        const { attempt } = createClocked();
        let allowed = 0;
        for (let index = 0; index < 1000; index++) {
          const hops = `10.9.${index >> 8}.${index & 255}`;
          const answer = await attempt("ada", peer, { [header]: hops });
          if (answer === true) allowed++;
        }
        assertEquals(allowed, 5);
        assertEquals(await attempt("bob", peer, { [header]: "x" }), true);
      });
    });
  }
}

Deno.test("createThrottle() ignores a forwarding header of the client", async () => {
  await withWarnings(async (warnings) => {
    const { attempt } = createClocked();
    const answers = [];
    for (let index = 0; index < 6; index++) {
      const headers = { "X-Forwarded-For": `203.0.113.${index}` };
      answers.push(await attempt("ada", "198.51.100.1", headers));
    }
    assertEquals(answers, [true, true, true, true, true, 1]);
    assertEquals(warnings, []);
  });
});

Deno.test("createThrottle() accepts an address that the router read from a header", async () => {
  await withWarnings(async (warnings) => {
    const { attempt } = createClocked();
    // A client in the intranet with a trusted proxy.
    for (let index = 0; index < 100; index++) {
      const headers = { "X-Forwarded-For": "10.0.0.5" };
      await attempt(`user${index}`, "10.0.0.5", headers);
    }
    assertEquals(await attempt("ada", "10.0.0.5", {}), 1);
    assertEquals(warnings, []);
  });
});

Deno.test("createThrottle() limits the address of an undeclared proxy to ten times the attempts", async () => {
  await withWarnings(async () => {
    const { attempt } = createClocked();
    let allowed = 0;
    for (let index = 0; index < 5_000; index++) {
      const headers = { "X-Forwarded-For": `203.0.113.${index & 255}` };
      const answer = await attempt(`user${index}`, "10.0.0.5", headers);
      if (answer === true) allowed++;
    }
    assertEquals(allowed, 1_000);
  });
});

/** A peer, a header, and `true` if the header contains the peer's address. */
const lists: [peer: string, name: string, value: string, isListed: boolean][] =
  [
    ["10.0.0.5", "X-Forwarded-For", "10.0.0.5", true],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7, 10.0.0.5", true],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7,10.0.0.5:8080", true],
    ["10.0.0.5", "X-Forwarded-For", "10.0.0.50", false],
    ["10.0.0.5", "X-Forwarded-For", "110.0.0.5", false],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7, 210.0.0.51", false],
    ["10.0.0.5", "X-Real-IP", "10.0.0.5", true],
    ["10.0.0.5", "X-Real-IP", "10.0.0.55", false],
    ["10.0.0.5", "Forwarded", 'for="10.0.0.5:80";proto=https', true],
    ["10.0.0.5", "Forwarded", "for=203.0.113.7, For=10.0.0.5", true],
    ["10.0.0.5", "Forwarded", "for=203.0.113.7;by=10.0.0.5", false],
    ["fd00::1", "X-Forwarded-For", "fd00:0:0::1", true],
    ["fd00::1", "X-Forwarded-For", "FD00::1", true],
    ["fd00::1", "X-Forwarded-For", "fd00::1a", false],
    ["fd00::1", "Forwarded", 'for="[fd00::1]:4711"', true],
    ["fd00::1", "Forwarded", 'for="[fd00::12]"', false],
    ["10.0.0.5", "X-Forwarded-For", ",".repeat(100_000), false],
    ["10.0.0.5", "Forwarded", "for=".repeat(50_000), false],
  ];

for (const [peer, name, value, isListed] of lists) {
  const label = `${name}: ${value.slice(0, 40)}`;
  Deno.test(`createThrottle() ${isListed ? "finds" : "does not find"} ${peer} in "${label}"`, async () => {
    await withWarnings(async (warnings) => {
      await createClocked().attempt("ada", peer, { [name]: value });
      assertEquals(warnings.length, isListed ? 0 : 1);
    });
  });
}

Deno.test("createThrottle() separates throttles with different names in one store", async () => {
  const store = createMemorySessionStore();
  const login = createClocked({ store });
  const reset = createClocked({ store, name: "reset" });
  await login.fail(5);
  assertEquals(await login.attempt(), 1);
  assertEquals(await reset.attempt(), true);
});

Deno.test("createThrottle() does not store accounts and addresses", async () => {
  const keys: string[] = [];
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put(key, value, options) {
      keys.push(key + value);
      assertEquals(options.index, undefined);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  await createClocked({ store }).attempt("ada");
  assertEquals(keys.length, 3);
  for (const key of keys) {
    assert(
      /^throttle:[a-z]+:[\w-]{43}\[\[\[1700000000000,1\]\],0\]$/.test(key),
      key,
    );
  }
});

Deno.test("createThrottle() accepts accounts of any length and form", async () => {
  const { attempt } = createClocked();
  const long = "a".repeat(1_000_000);
  for (const account of [long, "", "\ud800", "\ufdfa".repeat(100_000)]) {
    assertEquals(await attempt(account), true);
  }
});

const nonsense = [
  "",
  "{",
  "null",
  "[1]",
  '["a","b"]',
  "[1,null]",
  "[5,0]",
  "[[5],0]",
  "[[[1700000000000]],0]",
  '[[[1700000000000,"5"]],0]',
  "[[[null,5]],0]",
  "[[[1700000000000,5]],null]",
];

Deno.test("createThrottle() starts again if the stored value is invalid", async () => {
  for (const value of nonsense) {
    const memory = createMemorySessionStore({ now: () => start });
    const store: SessionStore = {
      get: (key) => {
        const found = memory.get(key) as { version: string } | null;
        return found === null ? null : { value, version: found.version };
      },
      put: (key, text, options) => memory.put(key, text, options),
      delete: (key) => memory.delete(key),
    };
    const { fail } = createClocked({ store });
    assertEquals(await fail(7), Array(7).fill(true), value);
  }
});

Deno.test("createThrottle() rejects if the store never accepts a count", async () => {
  const store: SessionStore = {
    get: () => null,
    put: () => false,
    delete: () => {},
  };
  assertEquals(await createClocked({ store }).attempt(), 1);
});

const hang = () => new Promise<never>(() => {});
const fail = () => Promise.reject(new Error("The store is unavailable"));

for (const [how, sweep] of [["hangs", hang], ["fails", fail]] as const) {
  Deno.test(`createThrottle() counts even if a sweep of the store ${how}`, async () => {
    const store = withCalls({ sweep });
    const { fail, pass } = createClocked({ store, storeTimeout: 50 });
    pass(hour);
    const answers = await answerInTime(fail(6));
    assertEquals(answers, [true, true, true, true, true, 1]);
  });
}

for (const method of ["get", "put", "delete"] as const) {
  for (const [how, call] of [["hangs", hang], ["fails", fail]] as const) {
    Deno.test(`createThrottle() rejects every attempt if the store's ${method} ${how}`, async () => {
      const store = withCalls({ [method]: call });
      const { attempt } = createClocked({ store, storeTimeout: 50 });
      const right = attempt("ada", "203.0.113.7", {}, true);
      await assertRejects(
        () => answerInTime(right),
        SessionStoreError,
        "Cannot throttle session: the store failed",
      );
    });
  }
}

/** Creates a memory store with some other methods. */
function withCalls(calls: Partial<SessionStore>): SessionStore {
  const memory = createMemorySessionStore();
  return {
    get: (key) => memory.get(key),
    put: (key, value, options) => memory.put(key, value, options),
    delete: (key) => memory.delete(key),
    ...calls,
  };
}

/** Returns the result if it arrives within a second. */
async function answerInTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("No answer")), 1000);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

for (const storeTimeout of [0, -1, NaN, Infinity]) {
  Deno.test(`createThrottle() throws for the storeTimeout ${storeTimeout}`, () => {
    assertThrows(
      () => createThrottle({ storeTimeout }),
      RangeError,
      `storeTimeout "${storeTimeout}"`,
    );
  });
}

for (const limit of ["attempts", "delay", "maxDelay", "window"] as const) {
  Deno.test(`createThrottle() throws for an invalid ${limit}`, () => {
    for (const value of [0, -1, NaN]) {
      for (
        const kind of [
          "perAccount",
          "perAccountAndAddress",
          "perAddress",
          "perNetwork",
        ]
      ) {
        assertThrows(
          () => createThrottle({ [kind]: { [limit]: value } }),
          RangeError,
          `${limit} "${value}"`,
        );
      }
    }
  });
}
